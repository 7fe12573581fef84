import type { HookConfigOutput } from '../../errors.ts';
import type { Binding } from '../../hook/binding.ts';

/** The result of `hooklet check`. */
export interface CheckReport {
  readonly hooks: readonly CheckedHook[];
  readonly problems: readonly CheckProblem[];
  readonly summary: {
    /** All hooks, including the broken ones. */
    readonly hooks: number;
    /** Hooks with an error. */
    readonly broken: number;
    readonly errors: number;
    readonly warnings: number;
  };
}

/** A hook whose config could be read. */
export interface CheckedHook {
  /** The name that the operator would use, if the checked folder is its hooks folder. */
  readonly name: string;
  /** Relative to the current folder for a file below it, else absolute. */
  readonly file: string;
  readonly type: 'process' | 'warm';
  readonly bindings: readonly CheckedBinding[];
  /** The settings that differ from the default; empty when there are none. */
  readonly settings: string;
}

export interface CheckedBinding {
  readonly type: Binding['type'];
  readonly name: string;
  /** `by object` and `none` for bindings whose runs do not wait in one queue. */
  readonly queue: string;
  /** One line for people. */
  readonly summary: string;
  /** Which replicas run it with `--shards`, and for which objects; only where that is asked for. */
  readonly shards?: string;
}

/** A problem and its place. */
export interface CheckProblem {
  readonly severity: 'error' | 'warning';
  /** Null for a file that is not a hook, and for a folder. */
  readonly hook: string | null;
  readonly file: string;
  /** Counted from 1; null for a folder. */
  readonly line: number | null;
  /** The place in the config, such as `kubernetes[0].kind`; empty when it is not in a field. */
  readonly path: string;
  readonly message: string;
  /** What a broken hook printed; only with its last problem. */
  readonly output?: HookConfigOutput;
}

/** Whether there are no errors; warnings do not count. */
export function isPassed({ summary }: CheckReport): boolean {
  return summary.errors === 0;
}
