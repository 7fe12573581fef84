import type { JsonObject, Happened, Done } from './happened.ts';

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
