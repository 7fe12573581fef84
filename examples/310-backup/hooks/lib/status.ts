import type { ConditionToSet, EventToRecord } from 'hooklet';
import { type Attempt, attemptOf } from './attempt.ts';
import { nextTick } from './crontab.ts';
import { asFields } from './report.ts';
import type { SeenJob, SeenPod } from './seen.ts';
import type { Backup, Task } from './spec.ts';

/** What has become of the tasks of a Backup: the status, in parts. */
export interface Standing {
  readonly backup: Attempt | undefined;
  readonly success: Attempt | undefined;
  readonly drill: Attempt | undefined;
}

/** The Jobs of this very Backup, not those of one before it that had its name; the newest comes last. */
export function ownJobs(backup: Backup, jobs: readonly SeenJob[], task: Task): readonly SeenJob[] {
  const { uid } = backup.metadata;
  const own = jobs.filter((job) => job.backupUid === uid && job.task === task);
  return own.toSorted((a, b) => (a.created === b.created ? (a.name < b.name ? -1 : 1) : a.created < b.created ? -1 : 1));
}

/** Joins what the Jobs and Pods show with what the status says of Jobs that are gone. */
export function standingOf(backup: Backup, jobs: readonly SeenJob[], pods: readonly SeenPod[]): Standing {
  const { lastAttempt, lastSuccess, lastDrill } = asFields(backup.status);
  const before = { backup: readAttempt(lastAttempt), success: readSuccess(lastSuccess), drill: readAttempt(lastDrill) };
  const attempts = ownJobs(backup, jobs, 'backup').map((job) => attemptOf(job, pods, known(before.backup, job)));
  const drills = ownJobs(backup, jobs, 'drill').map((job) => attemptOf(job, pods, known(before.drill, job)));
  const good = attempts.findLast(({ outcome, done }) => outcome === 'Succeeded' && done !== undefined);
  return {
    backup: newer(before.backup, attempts.at(-1)),
    success: newer(before.success, good),
    drill: newer(before.drill, drills.at(-1)),
  };
}

function known(before: Attempt | undefined, job: SeenJob): Attempt | undefined {
  return before?.job === job.name ? before : undefined;
}

/** A list from the past has no newer Jobs: what the status says then stays. */
function newer(before: Attempt | undefined, found: Attempt | undefined): Attempt | undefined {
  return before !== undefined && (found === undefined || found.startedAt < before.startedAt) ? before : found;
}

/** The status to write. */
export function statusOf(backup: Backup, { backup: last, success, drill }: Standing): Readonly<Record<string, unknown>> {
  const { lock } = last ?? {};
  return {
    lastAttempt: last === undefined ? null : attemptFields(last),
    lastSuccess: success === undefined ? null : successFields(success),
    lastDrill: drill === undefined ? null : attemptFields(drill),
    lock: lock === undefined ? null : lock,
    ...nextTimes(backup),
  };
}

function attemptFields({ job, outcome, reason, message, startedAt, endedAt, done }: Attempt): object {
  return {
    job,
    outcome,
    startedAt,
    ...(reason !== '' && { reason }),
    ...(message !== '' && { message }),
    ...(endedAt !== '' && { endedAt }),
    ...(done !== undefined && { backup: done.backup, seconds: done.seconds }),
    ...(done !== undefined && done.answer !== '' && { answer: done.answer }),
  };
}

function successFields({ job, startedAt, endedAt, done }: Attempt): object {
  const { backup = '', takenAt = '', bytes = 0, kept = 0, verified = '' } = done ?? {};
  return { job, startedAt, endedAt, backup, takenAt, bytes, kept, verified };
}

function nextTimes({ spec }: Backup): Readonly<Record<string, unknown>> {
  const { schedule, drill, timeZone, suspend } = spec;
  const next = (crontab: string | undefined): string | null => {
    const tick = crontab === undefined || suspend ? undefined : nextTick(crontab, timeZone, Date.now());
    return tick === undefined ? null : `${new Date(tick).toISOString().slice(0, 19)}Z`;
  };
  return { nextBackup: next(schedule), nextDrill: next(drill?.schedule) };
}

/** The conditions; `Ready` is hooklet's, by the children, unless something is wrong. */
export function conditionsOf(backup: Backup, standing: Standing): readonly ConditionToSet[] {
  const { backup: last, success, drill } = standing;
  const problem = problemOf(last) ?? problemOf(drill);
  return [
    ...(problem === undefined ? [] : [{ type: 'Ready', status: 'False', ...why(problem) } as const]),
    backedUp(last, success),
    verified(success),
    drilled(backup, drill),
  ];
}

/** An attempt with which something is wrong, also one that is not over. */
function problemOf(attempt: Attempt | undefined): Attempt | undefined {
  return attempt !== undefined && attempt.outcome !== 'Succeeded' && attempt.reason !== '' ? attempt : undefined;
}

function why({ reason, message, task }: Attempt): { readonly reason: string; readonly message: string } {
  return { reason, message: task === 'drill' ? `the drill: ${message}` : message };
}

function backedUp(last: Attempt | undefined, success: Attempt | undefined): ConditionToSet {
  const type = 'BackedUp';
  const problem = problemOf(last);
  if (problem !== undefined) return { type, status: 'False', ...why(problem) };
  if (success === undefined) return { type, status: 'Unknown', reason: 'NoBackupYet', message: 'no backup was made so far' };
  return { type, status: 'True', reason: 'Succeeded', message: success.done?.backup ?? '' };
}

function verified(success: Attempt | undefined): ConditionToSet {
  const type = 'Verified';
  const { verified: how = '', backup = '' } = success?.done ?? {};
  if (success === undefined) return { type, status: 'Unknown', reason: 'NoBackupYet', message: 'no backup was made so far' };
  if (how === 'yes') return { type, status: 'True', reason: 'Restored', message: `${backup} was restored and compared` };
  if (how === 'read') return { type, status: 'True', reason: 'Read', message: `${backup} was read, and not restored` };
  return { type, status: 'False', reason: 'NotVerified', message: `${backup} was stored as it came` };
}

function drilled({ spec }: Backup, drill: Attempt | undefined): ConditionToSet {
  const type = 'Drilled';
  if (spec.drill === undefined) return { type, status: 'Unknown', reason: 'NoDrill', message: 'spec.drill is not given' };
  const problem = problemOf(drill);
  if (problem !== undefined) return { type, status: 'False', reason: problem.reason, message: problem.message };
  if (drill?.outcome !== 'Succeeded') return { type, status: 'Unknown', reason: 'NoDrillYet', message: 'no drill was made so far' };
  return { type, status: 'True', reason: 'Succeeded', message: drill.message };
}

/** The Events of attempts that the status does not have yet in this form: each is told once. */
export function eventsOf(backup: Backup, { backup: last, drill }: Standing): readonly EventToRecord[] {
  const { lastAttempt, lastDrill } = asFields(backup.status);
  return [told('Backup', last, readAttempt(lastAttempt)), told('Drill', drill, readAttempt(lastDrill))].flat();
}

function told(what: string, now: Attempt | undefined, before: Attempt | undefined): readonly EventToRecord[] {
  if (now === undefined) return [];
  const isSame = before?.job === now.job && before.reason === now.reason;
  if (isSame && (before.outcome === now.outcome || now.reason !== '')) return [];
  if (problemOf(now) !== undefined) return [{ type: 'Warning', reason: `${what}${now.reason}`.slice(0, 128), message: now.message }];
  return now.outcome === 'Succeeded' ? [{ type: 'Normal', reason: `${what}Succeeded`, message: now.message }] : [];
}

function readAttempt(value: unknown): Attempt | undefined {
  const { job, outcome, reason = '', message = '', startedAt, endedAt = '' } = asFields(value);
  const { backup, seconds, answer = '' } = asFields(value);
  if (typeof job !== 'string' || typeof startedAt !== 'string' || typeof outcome !== 'string') return undefined;
  if (outcome !== 'Waiting' && outcome !== 'Running' && outcome !== 'Succeeded' && outcome !== 'Failed') return undefined;
  const texts = { reason: String(reason), message: String(message), endedAt: String(endedAt) };
  const none = { takenAt: '', bytes: 0, kept: 0, verified: '' };
  const done = { ...none, backup: String(backup), answer: String(answer), seconds: Number(seconds) };
  const task = 'backup';
  return { job, task, outcome, startedAt, ...texts, ...(typeof backup === 'string' && { done }) };
}

function readSuccess(value: unknown): Attempt | undefined {
  const { job, startedAt, endedAt, backup, takenAt, bytes, kept, verified: how } = asFields(value);
  if (typeof job !== 'string' || typeof startedAt !== 'string') return undefined;
  const done = {
    backup: String(backup),
    takenAt: String(takenAt),
    bytes: Number(bytes),
    kept: Number(kept),
    verified: String(how),
    answer: '',
    seconds: 0,
  };
  const known = { job, task: 'backup', outcome: 'Succeeded', reason: '', message: '' } as const;
  return { ...known, startedAt, endedAt: String(endedAt), done };
}
