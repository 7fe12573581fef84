import type { Hook } from './binding.ts';
import type { JobRule } from './job-rule.ts';

/** The runs of a hook are executed by workers, which ask the operator for them. */
export interface WorkersRule {
  readonly type: 'workers';
  /** Whose workers; default `default`. */
  readonly pool: string;
}

/** Where the runs of a hook are executed when it is not in the Pod of the operator. */
export type ExecutorRule = JobRule | WorkersRule;

/** The pool of a hook that says none, and of a worker. */
export const DEFAULT_POOL = 'default';
export const POOL_TEXT = 'the name of a pool: at most 63 small letters, digits and "-"';

/** Whether a text can be the name of a pool: a DNS label. */
export function isPoolName(text: string): boolean {
  return /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(text);
}

/** How the runs of a hook are Jobs; undefined when they are none. */
export function jobRuleOf({ settings: { executor } }: Pick<Hook, 'settings'>): JobRule | undefined {
  return executor?.type === 'job' ? executor : undefined;
}

/** Which workers execute the runs of a hook; undefined when none do. */
export function workersRuleOf({ settings: { executor } }: Pick<Hook, 'settings'>): WorkersRule | undefined {
  return executor?.type === 'workers' ? executor : undefined;
}
