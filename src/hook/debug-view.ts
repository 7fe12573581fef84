import type { KubernetesBinding } from './binding.ts';
import type { Snapshot } from './trigger.ts';

/** What the debug API of shell-operator shows of an operator; nothing but `config.set` changes anything. */
export interface DebugView {
  /** All queues: `main` is always there, first, then those of hooks by name. */
  queues(): readonly DebugQueue[];
  /** The names of the loaded hooks, in their order. */
  hooks(): readonly string[];
  /** The kubernetes bindings of a hook, with what they see; undefined for a hook that is not known. */
  snapshots(hook: string): readonly DebugSnapshot[] | undefined;
  readonly config: RuntimeConfig;
}

export interface DebugQueue {
  readonly name: string;
  /** The number of tasks. */
  readonly length: number;
  /** What its worker does, such as `run first task`. */
  readonly status: string;
  /** The first tasks in the words of shell-operator: `HookRun:main:kubernetes:a.sh:pods`. */
  readonly tasks: readonly string[];
}

export interface DebugSnapshot {
  readonly binding: KubernetesBinding;
  readonly snapshot: Snapshot;
  readonly sinceStart: SnapshotOperations;
  readonly sinceLastExecution: SnapshotOperations;
}

/** How often objects came, changed and went. */
export interface SnapshotOperations {
  readonly added: number;
  readonly deleted: number;
  readonly modified: number;
  /** How often the last object went. */
  readonly cleaned: number;
}

/** The parameters that can be changed while the operator runs. */
export interface RuntimeConfig {
  list(): readonly RuntimeParameter[];
  /**
   * Sets a parameter, for `durationMs` where that is given; throws `UsageError` for an unknown one, and for a value that
   * it cannot have.
   */
  set(name: string, value: string, durationMs: number | undefined): void;
}

export interface RuntimeParameter {
  readonly name: string;
  readonly description: string;
  /** The value that the operator started with. */
  readonly default: string;
  readonly value: string;
  /** When the value before is set again; RFC 3339. */
  readonly expireAt?: string;
}
