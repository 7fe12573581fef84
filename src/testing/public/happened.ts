export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

export interface ObjectName {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for an object without. */
  readonly namespace: string;
  readonly name: string;
}

/** A run of a hook. */
export interface SeenRun {
  readonly hook: string;
  readonly queue: string;
  readonly attempt: number;
  readonly contexts: readonly JsonObject[];
  readonly outcome: 'succeeded' | 'later' | 'failed' | 'replaced' | 'interrupted' | 'running';
  readonly exit: number | null;
  readonly message: string | null;
  readonly next: string | null;
  readonly output: readonly string[];
}

/** A change of a hook, or of hooklet for it. */
export interface SeenWrite {
  readonly verb: 'create' | 'update' | 'patch' | 'apply' | 'delete';
  readonly by: 'hook' | 'hooklet';
  readonly hook: string | null;
  readonly object: ObjectName;
  readonly subresource: string | null;
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
}

/** A call of a stand-in. */
export interface SeenCall {
  readonly program: string;
  readonly args: readonly string[];
  /** Null for one that was killed. */
  readonly exit: number | null;
  readonly hook: string | null;
  /** The beginning of what it read, where its stand-in keeps that. */
  readonly stdin?: string;
}

/** One thing that happened: an action, a run, a write, a call, a line of the log. */
export interface Moment {
  /** The virtual time. */
  readonly atMs: number;
  /** The action under way, counted from 1; 0 is the start. */
  readonly step: number;
  readonly type: string;
  readonly [field: string]: unknown;
}

/** What happened in a world, or in one of its actions. */
export interface Happened {
  readonly timeline: readonly Moment[];
  /** The runs that began, in the order of their starts. */
  runs(): readonly SeenRun[];
  /** The changes that hooks made, or hooklet for them; without its Events, Leases and own records. */
  writes(): readonly SeenWrite[];
  calls(): readonly SeenCall[];
  /** The timeline in lines for people. */
  text(): string;
}

/** What happened in an action, until nothing was under way. */
export interface Done extends Happened {
  /** What the last request of the action was answered; absent for an action that asks nothing. */
  readonly answer?: { readonly code: number; readonly body: JsonValue; readonly warnings?: readonly string[] };
}
