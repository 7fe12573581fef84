import type { ConditionToSet, Patch, ReconcileAnswer } from 'hooklet';
import { type Attempt, attemptOf } from './attempt.ts';
import { attemptIn, removal } from './jobs.ts';
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
  /** Whether its namespace is being deleted. */
  readonly isLeaving: boolean;
  readonly patch: Patch;
}

/**
 * The end of a Backup: its backups stay, or a Job removes them, after all that may still write some. In a namespace that
 * is being deleted no Job can be made any more, and the Secrets are gone: it is let go, and its backups stay.
 */
export function finalize(backup: Backup, around: Around): ReconcileAnswer {
  const { jobs, pods, patch, image } = around;
  const own = ownJobs(backup, jobs, 'remove');
  if (backup.spec.deletionPolicy === 'Keep' || around.isLeaving) return letGo(own, patch);
  const busy = atWork(backup, around);
  if (busy.length > 0) return removing(backup, 'Waiting', `for the end of ${busy.slice(0, 5).join(', ')}`);
  const job = own.at(-1);
  if (job === undefined) {
    patch.createIfNotExists(removal(backup, image, 1));
    return underWay(backup, undefined);
  }
  const attempt = attemptOf(job, pods, undefined);
  switch (attempt.outcome) {
    case 'Succeeded':
      return letGo(own, patch);
    case 'Failed':
      return failed(backup, attempt, around);
    case 'Running':
    case 'Waiting':
      return underWay(backup, attempt);
  }
}

function letGo(removals: readonly SeenJob[], patch: Patch): ReconcileAnswer {
  for (const { name, namespace, uid, deleting } of removals) {
    if (deleting) continue;
    patch.deleteInBackground({ apiVersion: 'batch/v1', kind: 'Job', namespace, name }, { preconditions: { uid } });
  }
  return { finalized: true };
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

/** It is tried again after a while, by another Job. */
function failed(backup: Backup, { reason, message, endedAt, job }: Attempt, { patch, image }: Around): ReconcileAnswer {
  const told = removing(backup, reason, `${LEFT}${message}`);
  const [{ message: text = '' } = {}] = told.conditions;
  const events = [{ type: 'Warning', reason: `Remove${reason}`, message: text, once: `${job}-${endedAt}` } as const];
  const passed = Math.floor((Date.now() - Date.parse(endedAt)) / 1000);
  const left = AGAIN_SECONDS - passed;
  // An end that is far in the future is by a clock that was wrong, and holds up nothing.
  if (left <= 0 || passed < -AGAIN_SECONDS) {
    patch.createIfNotExists(removal(backup, image, attemptIn(job) + 1));
    return told;
  }
  const news = isTold(backup, reason) ? {} : { events };
  return { ...told, ...news, retryAfter: `${Math.min(left, AGAIN_SECONDS)}s` };
}

/** Whether the condition has said so already, in whatever words of the store. */
function isTold({ status }: Backup, reason: string): boolean {
  const all = asFields(status)['conditions'];
  const conditions: readonly unknown[] = Array.isArray(all) ? all : [];
  return conditions
    .map(asFields)
    .some(({ reason: said, message }) => said === reason && String(message).startsWith(LEFT));
}

interface Removing {
  readonly children: readonly [];
  readonly conditions: readonly ConditionToSet[];
}

function removing(backup: Backup, reason: string, message: string): Removing {
  const { name, namespace = '' } = backup.metadata;
  const keep = `kubectl patch backups.${GROUP} ${name} -n ${namespace} --type=merge -p '{"spec":{"deletionPolicy":"Keep"}}'`;
  const words = `${message.slice(0, 600)}; to leave them in the bucket: ${keep}`;
  const told = { status: 'False', reason, message: words } as const;
  return { children: [], conditions: ['Ready', 'Removed'].map((type) => ({ type, ...told })) };
}
