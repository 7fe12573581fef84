import type { Patch } from 'hooklet';
import { podsOf, type SeenJob, type SeenPod } from './seen.ts';
import { type Backup, secondsOf } from './spec.ts';

/**
 * Ends Jobs whose Pod has not begun within `startTimeout`, so that the next tick is not held up, and says in how many
 * seconds to look again for those that still may: undefined where there are none.
 */
export function endLate(backup: Backup, { jobs, pods, patch }: LateParts): number | undefined {
  const limit = secondsOf(backup.spec.startTimeout);
  const waiting = jobs.filter((job) => job.end === '' && !job.deleting && !began(job, pods));
  const left = waiting.map((job) => ({ job, seconds: limit - (Date.now() - Date.parse(startOf(job, pods))) / 1000 }));
  for (const { job, seconds } of left) {
    if (seconds > 0 || job.deadline === 1) continue;
    const target = { apiVersion: 'batch/v1', kind: 'Job', namespace: backup.metadata.namespace ?? '', name: job.name };
    // The uid makes sure that it is no other Job of that name.
    patch.merge(target, { metadata: { uid: job.uid }, spec: { activeDeadlineSeconds: 1 } });
  }
  const soon = left.map(({ seconds }) => Math.ceil(seconds)).filter((seconds) => seconds > 0);
  // A clock that was set back must not make it wait for years.
  return soon.length === 0 ? undefined : Math.min(...soon, limit);
}

interface LateParts {
  readonly jobs: readonly SeenJob[];
  readonly pods: readonly SeenPod[];
  readonly patch: Patch;
}

function began(job: SeenJob, pods: readonly SeenPod[]): boolean {
  return newest(job, pods)?.began === true;
}

/** Each Pod of a Job has the time anew. */
function startOf(job: SeenJob, pods: readonly SeenPod[]): string {
  return newest(job, pods)?.created ?? job.created;
}

function newest(job: SeenJob, pods: readonly SeenPod[]): SeenPod | undefined {
  return podsOf(job, pods).at(-1);
}
