/* What happened in a world, in order: one list for expectations, oracles and what is printed when a test fails. */

import type { JsonObject, JsonValue } from '@hooklet/sandbox';
import type { ObjectName } from './world.ts';

/** One thing that happened. */
export type Moment = {
  /** The virtual time. */
  readonly atMs: number;
  /** The action under way, counted from 1; 0 is the start of the world. */
  readonly step: number;
} &
  /** `needsOperator`: it asks the operator itself, which cannot be down then. */
  (
    | { readonly type: 'action'; readonly text: string; readonly needsOperator?: true }
    | RunStarted
    | RunEnded
    | Write
    | Call
    | Delivered
    | Request
    | LogLine
    /** What a disturbance or an action did: `killed`, `refused`, `skipped`, … */
    | { readonly type: 'disturbed'; readonly text: string }
  );

export interface RunStarted {
  readonly type: 'run-started';
  readonly run: string;
  readonly hook: string;
  readonly queue: string;
  readonly attempt: number;
  /** What the hook was given, Secrets included. */
  readonly contexts: readonly JsonValue[];
}

export interface RunEnded {
  readonly type: 'run-ended';
  readonly run: string;
  readonly hook: string;
  readonly outcome: 'succeeded' | 'later' | 'failed' | 'replaced' | 'interrupted';
  /** Absent for warm hooks and for runs that were not started. */
  readonly exitCode?: number;
  /** The error, for `failed`. */
  readonly message?: string;
  /** What becomes of the task: `done`, `retry`, `drop`, … */
  readonly next: string;
  /** The last lines that the hook printed. */
  readonly output: readonly string[];
}

/** A request that could change an object, of anybody, dry runs left out. */
export interface Write {
  readonly type: 'write';
  /** Who wrote: the hook itself (`kubectl` in a run), hooklet (patches, children, status, Leases, Events), the scenario, or a controller of the sandbox. */
  readonly by: 'hook' | 'hooklet' | 'scenario' | 'controller';
  /** The run it belongs to, where that is known. */
  readonly run?: string;
  readonly verb: 'create' | 'update' | 'patch' | 'apply' | 'delete';
  readonly object: ObjectName;
  readonly subresource?: string;
  readonly code: number;
  /** Whether the stored object changed. */
  readonly isChange: boolean;
  readonly before?: JsonObject;
  readonly after?: JsonObject;
  /** Whether a delete named a uid, or a write a resourceVersion. */
  readonly hasPrecondition: boolean;
  /** Its number among the effects, after which `crash` can strike; absent for what is none. */
  readonly effect?: number;
}

/** A call of a stand-in. */
export interface Call {
  readonly type: 'call';
  readonly program: string;
  readonly args: readonly string[];
  readonly run?: string;
  readonly hook?: string;
  /** Absent while it was killed. */
  readonly exitCode?: number;
  /** The beginning of what it read, where its stand-in keeps that. */
  readonly stdin?: string | undefined;
  /** Its number among the calls, which `answer` names, from 1, and its number among the effects. */
  readonly call?: number;
  readonly effect?: number;
}

/** A watch event that reached the operator. */
export interface Delivered {
  readonly type: 'delivered';
  /** Its number, which `skip`, `double` and `stale` name, from 1. */
  readonly event: number;
  readonly change: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: ObjectName;
}

/** A request of a hook, or of hooklet for a hook, that `refuse` can strike: no watches, Leases and Events. */
export interface Request {
  readonly type: 'request';
  /** Its number, which `refuse` names, from 1. */
  readonly request: number;
  readonly by: 'hook' | 'hooklet';
  readonly run?: string;
  readonly method: string;
  readonly path: string;
  readonly code: number;
}

export interface LogLine {
  readonly type: 'log';
  readonly level: string;
  readonly message: string;
  readonly fields: JsonObject;
}
