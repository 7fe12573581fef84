import type { HookConfigOutput } from '../errors.ts';

/** What `hooklet check` found. */
export interface CheckReport {
  readonly hooks: readonly CheckedHook[];
  readonly problems: readonly CheckProblem[];
  readonly summary: {
    /** With those that are broken. */
    readonly hooks: number;
    /** Hooks with an error. */
    readonly broken: number;
    readonly errors: number;
    readonly warnings: number;
  };
}

/** A hook whose config could be read. */
export interface CheckedHook {
  /** As it is called where the folder is that of the hooks. */
  readonly name: string;
  /** Below the current folder a relative path. */
  readonly file: string;
  readonly type: 'process' | 'warm';
  readonly bindings: readonly CheckedBinding[];
  /** The settings that are not the default, as the config writes them; empty where there are none. */
  readonly settings: string;
}

export interface CheckedBinding {
  readonly type: 'onStartup' | 'schedule' | 'kubernetes';
  readonly name: string;
  readonly queue: string;
  /** In a line, for people. */
  readonly summary: string;
}

/** A mistake, and where it is. */
export interface CheckProblem {
  readonly severity: 'error' | 'warning';
  /** Null for a file that is no hook, and for a folder. */
  readonly hook: string | null;
  readonly file: string;
  /** From 1; null for a folder. */
  readonly line: number | null;
  /** Where it is in the config, such as `kubernetes[0].kind`; empty where it is in no field. */
  readonly path: string;
  readonly message: string;
  /** What a broken hook printed, at its last problem. */
  readonly output?: HookConfigOutput;
}

/** Whether all is well. */
export function isPassed({ summary }: CheckReport): boolean {
  return summary.errors === 0;
}
