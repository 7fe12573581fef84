import type { Hook } from './binding.ts';
import type { Trigger } from './trigger.ts';

/** One run that is to come: a hook and what triggered it. Plain data, merged by `combine`. */
export interface Task {
  readonly hook: Hook;
  readonly triggers: readonly [Trigger, ...Trigger[]];
  readonly allowFailure: boolean;
  /** Milliseconds since the epoch, of the oldest trigger. */
  readonly queuedAtMs: number;
  /** Failures so far; combining keeps those of the first task. */
  readonly failures: number;
  /** Those of them that the hook is to blame for, and not its environment. */
  readonly ownFailures: number;
}
