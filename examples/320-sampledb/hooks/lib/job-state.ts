import type { KubernetesObject, NewObject } from 'hooklet';

/** How far a Job is. */
export interface JobState {
  readonly phase: 'absent' | 'running' | 'complete' | 'failed';
  /** Why it failed. */
  readonly message: string;
  readonly at?: string;
}

interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** How far the Job of a name is, of those that are there. */
export function stateOf({ metadata: { name } }: NewObject, jobs: readonly KubernetesObject[]): JobState {
  const found = jobs.find(({ metadata }) => metadata.name === name && metadata.deletionTimestamp === undefined);
  return found === undefined ? { phase: 'absent', message: '' } : phaseOf(found);
}

/** How far a Job is. */
export function phaseOf(job: KubernetesObject): JobState {
  const conditions = conditionsOf(job).filter(({ status }) => status === 'True');
  const failed = conditions.find(({ type }) => type === 'Failed');
  if (failed !== undefined) {
    const { message = '', lastTransitionTime: at } = failed;
    return { phase: 'failed', message, ...(at !== undefined && { at }) };
  }
  const isComplete = conditions.some(({ type }) => type === 'Complete');
  return { phase: isComplete ? 'complete' : 'running', message: '' };
}

function conditionsOf({ status }: KubernetesObject): readonly Condition[] {
  const list: unknown = Object(status)['conditions'];
  return Array.isArray(list) ? list.map((item: unknown): Condition => Object(item)) : [];
}
