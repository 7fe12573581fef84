/* What perturbing a story found, for those who print it; `perturb.ts` beside this file makes it. */

import type { PerturbKind, PerturbSettings, Scenario } from '../scenario.ts';
import type { Moment } from '../timeline.ts';
import type { Worlds } from '../world.ts';

/** Runs the story once undisturbed, then once for each plan, and compares; `perturb.ts` exports it as `perturb`. */
export type Perturb = (
  scenario: Scenario,
  worlds: Worlds,
  settings: PerturbRequest,
  signal: AbortSignal,
) => Promise<PerturbReport>;

/** What is to be done. */
export interface PerturbRequest extends PerturbSettings {
  /** Whether each kind ends with its first finding, which is not shortened. */
  readonly isFirstEnough?: boolean;
  /** Called after each plan, for those who show the progress. */
  readonly onPlan?: OnPlan;
}

/** Of a kind so many plans of all are played. */
export type OnPlan = (kind: PerturbKind, played: number, all: number) => void;

export interface PerturbReport {
  /** The name of the story. */
  readonly name: string;
  /** Plans that were run. */
  readonly plans: number;
  /** Plans that cannot make a difference, and were left out. */
  readonly pruned: number;
  /** Plans that a limit left out. */
  readonly leftOut: number;
  /** The same for each kind; `failed`: how many plans made a difference. */
  readonly kinds: readonly KindReport[];
  /** One for each kind and difference, with the shortest plan that makes it. */
  readonly findings: readonly PerturbFinding[];
}

/** A disturbance that makes a difference. */
export interface PerturbFinding {
  readonly kind: PerturbKind;
  /** In words: `killed after create v1/Secret/default/a (effect 2)`. */
  readonly disturbance: string;
  /** What differs from the undisturbed run, one line each. */
  readonly differences: readonly string[];
  /** The plan as `--plan` takes it, such as `crash:2`, without spaces. */
  readonly plan: string;
  /** What happened in the disturbed world. */
  readonly timeline: readonly Moment[];
}

export interface KindReport {
  readonly kind: PerturbKind;
  readonly plans: number;
  readonly pruned: number;
  readonly leftOut: number;
  readonly failed: number;
}
