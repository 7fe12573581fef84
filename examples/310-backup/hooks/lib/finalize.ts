import type { ReconcileAnswer } from 'hooklet';
import { attemptOf } from './attempt.ts';
import { removal } from './jobs.ts';
import type { SeenJob, SeenPod } from './seen.ts';
import { type Backup, GROUP } from './spec.ts';
import { ownJobs } from './status.ts';

const AGAIN_SECONDS = 300;

/** What is around a Backup that is being deleted. */
export interface Around {
  readonly jobs: readonly SeenJob[];
  readonly pods: readonly SeenPod[];
  readonly cronJobs: number;
  readonly image: string;
}

/** The end of a Backup: its backups stay, or a Job removes them, after all that may still write some. */
export function finalize(backup: Backup, around: Around): ReconcileAnswer {
  if (backup.spec.deletionPolicy === 'Keep') return { finalized: true };
  const atWork = [...ownJobs(backup, around.jobs, 'backup'), ...ownJobs(backup, around.jobs, 'drill')];
  if (around.cronJobs > 0 || atWork.length > 0 || around.pods.some((pod) => isOf(pod, atWork))) {
    const names = atWork.map(({ name }) => name).join(', ');
    return { children: [], conditions: [removed('Waiting', `for the end of ${names || 'its CronJobs'}${WAY_OUT(backup)}`)] };
  }
  const [job] = ownJobs(backup, around.jobs, 'remove');
  const wanted = removal(backup, around.image);
  const attempt = job && attemptOf(job, around.pods, undefined);
  if (attempt?.outcome === 'Succeeded') return { finalized: true };
  if (attempt === undefined || attempt.outcome !== 'Failed') {
    const { reason = '', message = '' } = attempt ?? {};
    const text = reason === '' ? 'the backups are being removed from the bucket' : message;
    return { children: [wanted], conditions: [removed(reason || 'Removing', `${text}${WAY_OUT(backup)}`)] };
  }
  return failed(backup, attempt, wanted);
}

function failed(backup: Backup, { reason, message, endedAt, job }: ReturnType<typeof attemptOf>, wanted: object) {
  const text = `the backups are still in the bucket: ${message}${WAY_OUT(backup)}`;
  const left = AGAIN_SECONDS - Math.floor((Date.now() - Date.parse(endedAt)) / 1000);
  const event = { type: 'Warning', reason: `Remove${reason}`, message: text } as const;
  const told = { conditions: [removed(reason, text)], events: isTold(backup, reason) ? [] : [event] };
  // The Job goes, and the next look finds none and makes it again.
  if (left <= 0) return { ...told, children: [] };
  return { ...told, children: [wanted], retryAfter: `${Math.min(left, AGAIN_SECONDS)}s`, output: job };
}

function isTold({ status }: Backup, reason: string): boolean {
  const text = JSON.stringify(status ?? {});
  return text.includes('"type":"Removed"') && text.includes(`"reason":"${reason}"`);
}

function isOf(pod: SeenPod, jobs: readonly SeenJob[]): boolean {
  return jobs.some(({ name }) => name === pod.job);
}

function removed(reason: string, message: string) {
  return { type: 'Removed', status: 'False', reason, message } as const;
}

const WAY_OUT = ({ metadata: { name, namespace = '' } }: Backup): string =>
  `; to leave them in the bucket: kubectl patch backups.${GROUP} ${name} -n ${namespace} --type=merge -p '{"spec":{"deletionPolicy":"Keep"}}'`;
