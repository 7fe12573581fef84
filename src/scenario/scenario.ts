/* A scenario file after it was read: what is given, what happens step by step, and what is expected. */

import type { Expectation } from './expectation.ts';
import type { Action, Given } from './world.ts';

/** One story; a file has one or more of them, separated by `---`. */
export interface Scenario {
  /** The file, as the author named it, and the line on which the story begins. */
  readonly file: string;
  readonly line: number;
  /** Its place among the documents of the file, from 0; absent for one that is from no file. */
  readonly document?: number;
  readonly name: string;
  /** Files and folders that it is made of, absolute: of hooks, stand-ins and objects. */
  readonly paths?: readonly string[];
  readonly given: Omit<Given, 'disturbance'>;
  /** Checked after the start. */
  readonly expect?: Expectation;
  readonly steps: readonly Step[];
  /** jq programs over each written object (`{verb, by, object, before, after}`) that must never be true. */
  readonly never: readonly { readonly name: string; readonly program: string }[];
  readonly perturb: PerturbSettings;
}

export interface Step {
  readonly line: number;
  readonly name?: string;
  readonly actions: readonly Action[];
  readonly expect?: Expectation;
}

/** What `perturb` in the file, and the flags, ask for. */
export interface PerturbSettings {
  readonly kinds: readonly PerturbKind[];
  /** At most this many plans; absent: all. */
  readonly plans?: number;
  /** Exactly this plan, as `PerturbFinding.plan` names it; then `kinds` and `plans` do not count. */
  readonly plan?: string;
}

export type PerturbKind = 'twice' | 'crash' | 'skip' | 'stale' | 'double' | 'refuse' | 'misuse' | 'app';
