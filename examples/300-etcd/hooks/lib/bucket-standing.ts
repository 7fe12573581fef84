import type { ConditionToSet, EventToRecord, ReconcileAnswer } from 'hooklet';
import { readReport } from './backup-engine/report.ts';
import type { EndedContainer, SeenJob, SeenPod } from './backup-engine/seen.ts';
import type { EtcdBackup } from './backup.ts';
import { START_TIMEOUT } from './engine-pod.ts';

/** The Jobs and Pods of one backup. */
export interface Work {
  readonly jobs: readonly SeenJob[];
  readonly pods: readonly SeenPod[];
  /** Those that are ended now, as their Pod does not begin. */
  readonly late: readonly SeenJob[];
}

type Told = Pick<ReconcileAnswer, 'status' | 'conditions' | 'events'>;

/** Status of an EtcdBackup to a bucket: by the newest Job, and with the last good backup also if a later one fails. */
export function standing(backup: EtcdBackup, { jobs, pods, late }: Work): Told {
  const [ended] = pods.flatMap((pod) => pod.ended ?? []).toSorted((a, b) => (a.at < b.at ? 1 : -1));
  const said = ended === undefined ? undefined : saidBy(ended);
  const last = lastGood(backup, said);
  const job = newest(jobs);
  const pod = newest(pods);
  const waits = pod === undefined || pod.waitReason === '' ? '' : `${pod.waitReason}: ${pod.waitMessage.slice(0, 800)}`;
  const isLate = job !== undefined && (late.includes(job) || job.deadline === 1);
  if (isLate && job.end !== 'Complete') return { ...last.told, ...notStarted(backup, job, waits) };
  if (waits !== '') return { ...last.told, ...waiting(waits) };
  if (said !== undefined) return { ...last.told, ...outcome(said) };
  return { ...last.told, conditions: [unsaid(backup.spec.schedule, last.backup, job)] };
}

function newest<T extends { readonly created: string }>(all: readonly T[]): T | undefined {
  return all.toSorted((a, b) => (a.created < b.created ? -1 : 1)).at(-1);
}

interface Said {
  readonly reason: string;
  readonly message: string;
  readonly at: string;
  readonly backup?: string;
  readonly takenAt?: string;
}

function saidBy(ended: EndedContainer): Said {
  const { reason, message, done } = readReport(ended);
  return { reason, message, at: ended.at, ...(done && { backup: done.backup, takenAt: done.takenAt }) };
}

function lastGood({ spec, status, metadata }: EtcdBackup, said: Said | undefined) {
  const folder = spec.destination?.folder ?? `${metadata.namespace}/${spec.cluster}`;
  const { backup, takenAt } = said?.backup === undefined ? (status ?? {}) : said;
  return { backup, told: backup === undefined ? {} : { status: { backup, takenAt: takenAt ?? '', folder } } };
}

function outcome({ reason, message, at, backup }: Said): Told {
  const isGood = backup !== undefined;
  const word = isGood ? 'Saved' : reason;
  const event: EventToRecord = { type: isGood ? 'Normal' : 'Warning', reason: word, message, once: `${word}-${at}` };
  return { conditions: [ready(isGood, word, message)], events: [event] };
}

function waiting(waits: string): Told {
  const [reason = ''] = waits.split(':');
  const message = `the Pod of the backup does not begin: ${waits}`;
  const event: EventToRecord = { type: 'Warning', reason: 'PodWaits', message, once: `PodWaits-${reason}` };
  return { conditions: [ready(false, 'PodWaits', message)], events: [event] };
}

/** The Pod goes with its Job; what it waited for is known from the condition. */
function notStarted({ spec, status }: EtcdBackup, { name }: SeenJob, waits: string): Told {
  const { reason, message: before = '' } = status?.conditions?.find(({ type }) => type === 'Ready') ?? {};
  const isTold = reason === 'NotStarted' && before.includes(` ${name} `);
  const why = waits === '' && reason === 'PodWaits' ? before : waits;
  const message = isTold ? before : endedText(name, spec.schedule, why);
  const event: EventToRecord = { type: 'Warning', reason: 'NotStarted', message, once: `NotStarted-${name}` };
  return { conditions: [ready(false, 'NotStarted', message)], events: [event] };
}

function endedText(job: string, schedule: string | undefined, why: string): string {
  const next = schedule === undefined ? 'mend that, and make another EtcdBackup' : 'the next one is tried at its time';
  const known = why === '' ? 'see the Events of the Job' : why;
  return `the Pod of Job ${job} did not begin within ${START_TIMEOUT}, and the Job was ended; ${next}: ${known}`;
}

/** The condition while no Pod has left a report, or after the Pod with the report is gone. */
function unsaid(schedule: string | undefined, last: string | undefined, job: SeenJob | undefined): ConditionToSet {
  if (last !== undefined) return ready(true, 'Saved', `${last} is in the bucket`);
  if (schedule !== undefined) return ready(false, 'Scheduled', `no backup was made yet; one is due at ${schedule}`);
  if (job === undefined || job.end === '') return ready(false, 'Saving', 'the Job saves the snapshot');
  const message = 'the Job has ended, and its Pod left no report: see its Pod, then make another EtcdBackup';
  return ready(false, 'NoReport', message);
}

function ready(is: boolean, reason: string, message: string): ConditionToSet {
  return { type: 'Ready', status: is ? 'True' : 'False', reason, message };
}
