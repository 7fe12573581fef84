/*
 * The door between what a test says and what happens in it. A world is one sandbox, one operator with real hooks and
 * stand-ins for the programs that hooks call, under a clock that its owner drives. Scenario files, perturbations and
 * `hooklet/testing` act through `World` and read its timeline; `open-world.ts` opens one in a process of its own.
 *
 * What must hold: after each action the world is at rest: no task is queued or due, no hook runs, no request is open,
 * and every watch has delivered what was written. Virtual time stands still while anything is under way. Two worlds share
 * nothing.
 */

import type { Fault, JsonObject, JsonValue } from '@hooklet/sandbox';
import type { Disturbance } from './disturbance.ts';
import type { Moment } from './timeline.ts';

/** What a world begins with. */
export interface Given {
  /** The hooks folder, absolute. */
  readonly hooksDir: string;
  /** Names of hooks in that folder that run; absent: all. */
  readonly hooks?: readonly string[];
  /** Applied in this order before the operator starts; CustomResourceDefinitions first. */
  readonly objects: readonly JsonObject[];
  /** The virtual time at the start, in milliseconds since the epoch. */
  readonly startMs: number;
  /** Added to the environment of hooks. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Folders of the world's own, which outlive its operators: of each its files with their texts. In values of `env`,
   * `$(VOLUMES)` is the folder that they are in.
   */
  readonly volumes?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Folder of stand-ins: each executable replaces the program of its name on the hooks' PATH, and its calls are recorded. */
  readonly standInsDir?: string;
  /** Options of `hooklet start` by their long names, such as `retry-delay`. */
  readonly options?: Readonly<Record<string, string | boolean>>;
  readonly disturbance?: Disturbance;
  /** What uids, generated names and delays with jitter follow from; default `1`. */
  readonly seed?: string;
  /** Makes others of them, under a name of its own, except the uids that the text names. */
  readonly variant?: { readonly name: string; readonly keeps: string };
  /** Real time that one action may take without the end of a run before the world is given up; default 30,000 ms. */
  readonly limitMs?: number;
  readonly limits?: WorldLimits;
  /**
   * Starts no process for a run of a schedule that did nothing twice, as long as nothing happens: for those who look at what
   * comes out alone. Default false.
   */
  readonly isSparing?: boolean;
}

/** What may happen in a world before it is given up; see `live/limits.ts` for the defaults. */
export interface WorldLimits {
  readonly runs?: number;
  /** By hooks, by hooklet for them, and by controllers. */
  readonly writes?: number;
}

/** An object by its name; `namespace` is empty for one without. */
export interface ObjectName {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** What a test does to its world. Apart from `kill`, `restart` and faults, it is done as a user of the cluster. */
export type Action =
  | { readonly type: 'apply'; readonly object: JsonObject; readonly subresource?: string }
  /** A merge patch. */
  | { readonly type: 'patch'; readonly object: ObjectName; readonly patch: JsonObject; readonly subresource?: string }
  | { readonly type: 'delete'; readonly object: ObjectName }
  /** Virtual time passes. */
  | { readonly type: 'tick'; readonly ms: number }
  | { readonly type: 'until'; readonly timeMs: number }
  /** Runs a schedule, or looks at objects of a `reconcile` binding again, as `hooklet schedule run` does. */
  | { readonly type: 'trigger'; readonly hook: string; readonly binding?: string; readonly object?: ObjectName }
  /** A request of an `http` binding. */
  | {
      readonly type: 'http';
      readonly method: string;
      readonly path: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** A request to the API server that admission webhooks judge; what they allow is written unless `dryRun`. */
  | {
      readonly type: 'admit';
      readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
      readonly object: JsonObject;
      readonly subresource?: string;
      readonly dryRun?: boolean;
      readonly user?: { readonly username: string; readonly groups?: readonly string[] };
    }
  /** Reads the object in another version of its kind. */
  | { readonly type: 'convert'; readonly object: JsonObject; readonly to: string }
  | { readonly type: 'fault'; readonly fault: Fault }
  | { readonly type: 'clearFaults' }
  /** Ends the operator as SIGKILL would, hooks included, and starts another one. */
  | { readonly type: 'killOperator' }
  /** The next run of the hook is killed after this many of its effects; 0: before it does anything. */
  | { readonly type: 'killHook'; readonly hook: string; readonly afterEffects: number }
  /** Ends the operator in order, waits `downMs` of virtual time, default 0, and starts another one. */
  | { readonly type: 'restart'; readonly downMs?: number }
  /** Runs every binding again: Synchronizations, schedules, startup and objects of `reconcile` bindings. */
  | { readonly type: 'again' }
  /** Every watch ends and its history is gone, so that the operator lists all again: `expire` and `dropWatches` of the sandbox. */
  | { readonly type: 'relist' }
  | { readonly type: 'settle' };

/** What became of an action. */
export interface Acted {
  /** The timeline has these moments of the action: from (inclusive) to (exclusive). */
  readonly from: number;
  readonly to: number;
  /** The answer to `apply`, `patch`, `delete`, `admit`, `convert` and `http`. */
  readonly answer?: { readonly code: number; readonly body: JsonValue; readonly warnings?: readonly string[] };
}

/** A world at rest; see above. Actions are made one after the other. */
export interface World extends AsyncDisposable {
  /** Everything that happened so far, in order. */
  readonly timeline: readonly Moment[];
  /** The virtual time. */
  readonly nowMs: number;
  /**
   * Makes the action and waits until the world is at rest. Rejects with a `ScenarioError` when it does not come to rest
   * within `limitMs`, with what is still under way.
   */
  act(action: Action): Promise<Acted>;
  /** All objects of the sandbox, in the order of their creation; those every cluster has are left out. */
  objects(): Promise<readonly JsonObject[]>;
  /** The text of /metrics, then that of /metrics/hooks. */
  metrics(): Promise<string>;
}

/** Opens worlds in processes that are kept for the next one; `close` ends them. */
export interface Worlds extends AsyncDisposable {
  /**
   * Opens a world and waits until it is at rest, the Synchronizations done. The moments until then are those of step 0.
   * Waits while all processes have a world. Rejects with a `ScenarioError`, such as for a hook that is broken.
   */
  open(given: Given, signal: AbortSignal): Promise<World>;
}
