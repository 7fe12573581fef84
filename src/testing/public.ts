/*
 * What `hooklet/testing` is to those who import it: its declarations are the types of the package, so this file imports
 * nothing. `index.ts` has what they declare.
 */

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** `24h`, `5m`, `90s`, `250ms`, or a number of milliseconds. */
export type Duration = string | number;
/** `2026-03-29T00:30:00Z`, a Date, or milliseconds since the epoch. */
export type Instant = string | number | Date;
/** A Kubernetes object, of any type that has its fields. */
export type Manifest = object;

/** What a world begins with. Paths are relative to `folder`. */
export interface WorldOptions {
  /** The folder of hooks, or files of hooks. Default: `hooks` in `folder`, or beside it. */
  readonly hooks?: string | readonly string[];
  /** Default: the working directory. */
  readonly folder?: string;
  /** Files with CustomResourceDefinitions, applied before all else. */
  readonly crds?: string | readonly string[];
  /** Files with objects; `*` in a file name stands for any text. */
  readonly files?: string | readonly string[];
  /** Applied in this order. */
  readonly objects?: readonly Manifest[];
  /** The virtual time at the start; default 2026-01-01T00:00:00Z. */
  readonly clock?: Instant;
  /** Added to the environment of the hooks. */
  readonly env?: Readonly<Record<string, string>>;
  /** A folder of stand-ins for the programs that hooks call. */
  readonly programs?: string;
  /** Options of `hooklet start` by their long names. */
  readonly options?: Readonly<Record<string, string | boolean>>;
  /** How many runs and writes there may be; default 2,000 and 10,000. */
  readonly limits?: { readonly runs?: number; readonly writes?: number };
  /** Real time that one action may take without the end of a run; default 30,000 ms. */
  readonly limitMs?: number;
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

export interface AdmitRequest {
  /** Default `CREATE`. */
  readonly operation?: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly object: Manifest;
  readonly subresource?: string;
  readonly dryRun?: boolean;
  readonly user?: { readonly username: string; readonly groups?: readonly string[] };
}

export interface HttpRequest {
  /** Default `POST`. */
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly body?: string | object;
}

/**
 * A sandbox, an operator and real hooks under a clock that the test drives. After each action nothing is under way: no
 * task is queued or due, no hook runs, every watch has seen what was written. Actions are made one after the other.
 */
export interface TestWorld extends Happened, AsyncDisposable {
  /** The virtual time. */
  readonly nowMs: number;
  /** Creates or changes objects, or those of files, by server-side apply; rejects when one is refused. */
  apply(...objects: readonly (Manifest | string)[]): Promise<Done>;
  /** A merge patch in the form of the object; `null` removes a field. */
  patch(object: Manifest, subresource?: string): Promise<Done>;
  delete(...objects: readonly Manifest[]): Promise<Done>;
  /** Virtual time passes. */
  tick(duration: Duration): Promise<Done>;
  /** Virtual time passes until then. */
  until(time: Instant): Promise<Done>;
  /** Runs a schedule, or looks at objects of a `reconcile` binding again: `hook` or `hook/binding`. */
  trigger(
    what: string | { readonly hook: string; readonly binding?: string; readonly object?: Manifest },
  ): Promise<Done>;
  /** A request that admission webhooks judge; what they allow is written unless `dryRun`. */
  admit(request: AdmitRequest): Promise<Done>;
  /** Reads the object in another version of its kind. */
  convert(request: { readonly object: Manifest; readonly to: string }): Promise<Done>;
  /** A request of an `http` binding. */
  http(request: HttpRequest): Promise<Done>;
  /** A fault of the API server; `none` ends all. */
  fault(fault: object | 'none'): Promise<Done>;
  /** Kills the operator and its hooks, and starts another; or kills the next run of a hook after some of its effects. */
  kill(what?: 'operator' | { readonly hook: string; readonly afterEffects?: number }): Promise<Done>;
  /** Ends the operator in order, and starts it again after this time, default at once. */
  restart(downFor?: Duration): Promise<Done>;
  /** Runs every binding again. */
  again(): Promise<Done>;
  /** Every watch ends, and all is listed again. */
  relist(): Promise<Done>;
  /** The object of this name; without a namespace that of `default`, or of none. */
  get(object: Manifest): Promise<JsonObject | undefined>;
  /** All objects that have these fields, such as `{kind: 'Secret', metadata: {namespace: 'a'}}`. */
  list(fields?: object): Promise<readonly JsonObject[]>;
  /** The text of /metrics, then that of /metrics/hooks. */
  metrics(): Promise<string>;
}

/** Opens a world, and waits until it is at rest. Rejects with all problems of the options, and for a broken hook. */
export declare function openWorld(options?: WorldOptions): Promise<TestWorld>;

export interface RunHookOptions {
  /** `onStartup`, `Schedule`, `Synchronization`, `Added`, `Modified`, `Deleted` or `Reconcile`; this or `contexts`. */
  readonly event?: string;
  /** The name of the binding; absent: the only one that matches. */
  readonly binding?: string;
  /** The object of the event. */
  readonly object?: Manifest;
  /** Further objects, which are in the snapshots. */
  readonly objects?: readonly Manifest[];
  /** The binding contexts as they are. */
  readonly contexts?: readonly object[];
  /** Added to the environment of the hook. */
  readonly env?: Readonly<Record<string, string>>;
  /** Ends the run. */
  readonly signal?: AbortSignal;
}

/** What a hook did and asked for; nothing of it was carried out. */
export interface HookRunResult {
  readonly outcome: 'done' | 'later' | 'failed' | 'permanent';
  /** Absent for `later`, for warm hooks that failed, and for a hook that was ended by a signal. */
  readonly exit?: number;
  /** Why the run failed. */
  readonly message?: string;
  /** The lines that it printed, and what a warm hook logged. */
  readonly output: readonly string[];
  /** The binding contexts that it was given. */
  readonly contexts: readonly JsonObject[];
  readonly patches: readonly Readonly<Record<string, unknown>>[];
  readonly metrics: readonly Readonly<Record<string, unknown>>[];
  /** What it wrote to RESULT_PATH, checked; that of single contexts is in the map `contexts`. */
  readonly result?: Readonly<Record<string, unknown>>;
  /** The answer of an admission webhook or a converter, as it was written. */
  readonly answer?: unknown;
  /** Likely mistakes. */
  readonly warnings: readonly string[];
}

/** Runs one hook once, without a world. Rejects for a hook that is broken, and for output that cannot be read. */
export declare function runHook(file: string, options: RunHookOptions): Promise<HookRunResult>;

export interface ExpectedRun {
  readonly hook: string;
  readonly outcome?: 'succeeded' | 'later' | 'failed' | 'replaced' | 'interrupted';
  readonly exit?: number;
  readonly attempt?: number;
  readonly queue?: string;
  readonly contexts?: readonly object[];
  /** A part of the error. */
  readonly message?: string;
  /** Parts of what it printed. */
  readonly output?: string | readonly string[];
  readonly next?: string;
}

export interface ExpectedWrite {
  readonly verb?: SeenWrite['verb'];
  readonly by?: SeenWrite['by'];
  readonly hook?: string;
  readonly object?: Partial<ObjectName>;
  readonly subresource?: string;
  readonly before?: object;
  readonly after?: object;
}

export interface ExpectedCall {
  readonly program: string;
  readonly args?: readonly string[];
  readonly exit?: number;
  readonly hook?: string;
  /** All that it read; line ends at the end do not count. */
  readonly stdin?: string;
}

export interface ExpectedEvent {
  readonly type?: 'Normal' | 'Warning';
  readonly reason?: string;
  /** A part of the message. */
  readonly message?: string;
  readonly object?: Partial<ObjectName>;
}

export interface ExpectedMetric {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value?: number;
}

/** The fields of `expect` in a scenario file: `runs`, `writes` and `calls` are all that there were, or a number. */
export interface Expectation {
  readonly runs?: number | readonly ExpectedRun[];
  readonly writes?: number | readonly ExpectedWrite[];
  readonly calls?: number | readonly ExpectedCall[];
  readonly objects?: readonly object[];
  readonly status?: readonly object[];
  readonly events?: readonly (ExpectedEvent & { readonly absent?: true })[];
  readonly metrics?: readonly (ExpectedMetric & { readonly absent?: true })[];
  readonly answer?: {
    readonly code?: number;
    readonly allowed?: boolean;
    readonly message?: string;
    readonly warnings?: readonly string[];
    readonly body?: unknown;
  };
  readonly log?: string | readonly string[];
}

/** Each throws an `AssertionError` with what differs and the end of the timeline. They compare as scenario files do. */
export declare function assertObject(of: Happened, expected: Manifest): Promise<void>;
/** One of the runs is such a run; without `outcome`, `exit`, `message` and `next` it has not failed. */
export declare function assertRun(of: Happened, expected: ExpectedRun): Promise<void>;
export declare function assertWritten(of: Happened, expected: ExpectedWrite): Promise<void>;
export declare function assertCalled(of: Happened, expected: ExpectedCall): Promise<void>;
export declare function assertEvent(of: Happened, expected: ExpectedEvent): Promise<void>;
export declare function assertMetric(of: Happened, expected: ExpectedMetric): Promise<void>;
/** All of it holds, as `expect` of a step does. */
export declare function assertMeets(of: Happened, expected: Expectation): Promise<void>;

/** The matchers for `interface Matchers<T> extends WorldMatchers` of vitest. */
export interface WorldMatchers<R = Promise<void>> {
  toHaveObject(expected: Manifest): R;
  toHaveRun(expected: ExpectedRun): R;
  toHaveWritten(expected: ExpectedWrite): R;
  toHaveCalled(expected: ExpectedCall): R;
  toHaveEvent(expected: ExpectedEvent): R;
  toHaveMetric(expected: ExpectedMetric): R;
  toMeet(expected: Expectation): R;
}

export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

/** For `expect.extend` of vitest. */
export declare const matchers: {
  readonly [Name in keyof WorldMatchers]: (received: unknown, expected: object) => Promise<MatcherResult>;
};

export interface Sandbox extends AsyncDisposable {
  readonly url: string;
  /** The bearer token that requests must carry. */
  readonly token: string;
  /** The text of a kubeconfig for this server. */
  kubeconfig(): string;
  /** Creates or changes an object by server-side apply. */
  apply(object: JsonObject): Promise<JsonObject>;
  /** Deletes an object if it exists. */
  delete(object: JsonObject): Promise<void>;
  close(): Promise<void>;
}

export interface SandboxOptions {
  /** Default 0, which takes a free port. */
  readonly port?: number;
  readonly host?: string;
  /** The time in milliseconds since the epoch. */
  readonly now?: () => number;
  /** Whether requests without a token are served. */
  readonly anonymous?: boolean;
}

/** Starts a Kubernetes API server in memory on a loopback port. */
export declare function startSandbox(options?: SandboxOptions): Promise<Sandbox>;
