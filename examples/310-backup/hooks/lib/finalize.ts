import type { ConditionToSet, ReconcileAnswer } from 'hooklet';
import { type Attempt, attemptOf } from './attempt.ts';
import { removal } from './jobs.ts';
import { asFields } from './report.ts';
import type { SeenJob, SeenPod } from './seen.ts';
import { type Backup, GROUP } from './spec.ts';
import { ownJobs } from './status.ts';

const AGAIN_SECONDS = 300;
const LEFT = 'the backups are still in the bucket: ';

/** What is around a Backup that is being deleted. */
export interface Around {
  readonly jobs: readonly SeenJob[];
  readonly pods: readonly SeenPod[];
  readonly cronJobs: readonly string[];
  readonly image: string;
}

/** The end of a Backup: its backups stay, or a Job removes them, after all that may still write some. */
export function finalize(backup: Backup, around: Around): ReconcileAnswer {
  if (backup.spec.deletionPolicy === 'Keep') return { finalized: true };
  const busy = atWork(backup, around);
  if (busy.length > 0) return { children: [], ...removing(backup, 'Waiting', `for the end of ${busy.join(', ')}`) };
  const [job] = ownJobs(backup, around.jobs, 'remove');
  const attempt = job && attemptOf(job, around.pods, undefined);
  switch (attempt?.outcome) {
    case 'Succeeded':
      return { finalized: true };
    case 'Failed':
      return failed(backup, attempt, around.image);
    case 'Running':
    case 'Waiting':
    case undefined:
      return { children: [removal(backup, around.image)], ...underWay(backup, attempt) };
  }
}

/** The names of all that may still write to the bucket. */
function atWork(backup: Backup, { jobs, pods, cronJobs }: Around): readonly string[] {
  const isOurs = ({ backupUid, task }: SeenJob | SeenPod): boolean =>
    backupUid === backup.metadata.uid && task !== 'remove';
  const atIt = [...jobs.filter(isOurs), ...pods.filter((pod) => isOurs(pod) && !pod.over)];
  return [...cronJobs, ...atIt.map(({ name }) => name)];
}

function underWay(backup: Backup, attempt: Attempt | undefined): ReconcileAnswer {
  const { reason = '', message = '' } = attempt ?? {};
  if (reason === '') return removing(backup, 'Removing', 'the backups are being removed from the bucket');
  return removing(backup, reason, message);
}

/** It is tried again after a while: the Job goes, and the next look finds none and makes it anew. */
function failed(backup: Backup, { reason, message, endedAt, job }: Attempt, image: string): ReconcileAnswer {
  const told = removing(backup, reason, `${LEFT}${message}`);
  const text = told.conditions[0]?.message ?? '';
  const events = [{ type: 'Warning', reason: `Remove${reason}`, message: text, once: `${job}-${endedAt}` } as const];
  const left = AGAIN_SECONDS - Math.floor((Date.now() - Date.parse(endedAt)) / 1000);
  if (left <= 0) return { ...told, children: [] };
  const news = isTold(backup, reason) ? {} : { events };
  return { ...told, ...news, children: [removal(backup, image)], retryAfter: `${Math.min(left, AGAIN_SECONDS)}s` };
}

/** Whether the condition has said so already, in whatever words of the store. */
function isTold({ status }: Backup, reason: string): boolean {
  const all = asFields(status)['conditions'];
  const conditions: readonly unknown[] = Array.isArray(all) ? all : [];
  return conditions
    .map(asFields)
    .some(({ reason: said, message }) => said === reason && String(message).startsWith(LEFT));
}

function removing(backup: Backup, reason: string, message: string): { readonly conditions: readonly ConditionToSet[] } {
  const { name, namespace = '' } = backup.metadata;
  const keep = `kubectl patch backups.${GROUP} ${name} -n ${namespace} --type=merge -p '{"spec":{"deletionPolicy":"Keep"}}'`;
  const words = `${message.slice(0, 600)}; to leave them in the bucket: ${keep}`;
  return { conditions: [{ type: 'Removed', status: 'False', reason, message: words }] };
}
