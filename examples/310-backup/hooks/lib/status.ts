import { type Attempt, attemptOf } from './attempt.ts';
import { nextTick } from './crontab.ts';
import { readAttempt, readSuccess } from './recorded.ts';
import { asFields } from './report.ts';
import type { SeenJob, SeenPod } from './seen.ts';
import type { Backup, Task } from './spec.ts';

/** What has become of the tasks of a Backup: the status, in parts. */
export interface Standing {
  readonly backup: Attempt | undefined;
  readonly success: Attempt | undefined;
  readonly drill: Attempt | undefined;
}

/** Clocks may differ by less. */
const AHEAD_MS = 3_600_000;

/** The Jobs of this very Backup, not those of one before it that had its name; the newest comes last. */
export function ownJobs(backup: Backup, jobs: readonly SeenJob[], task: Task): readonly SeenJob[] {
  const { uid } = backup.metadata;
  const own = jobs.filter((job) => job.backupUid === uid && job.task === task);
  const age = (job: SeenJob): string => `${orderOf(job.created)} ${job.name}`;
  return own.toSorted((a, b) => (age(a) < age(b) ? -1 : 1));
}

/** Sorts times of beginnings. One in the future is from a clock that was ahead, and since then others have begun. */
function orderOf(time: string): string {
  return `${Date.parse(time) > Date.now() + AHEAD_MS ? 0 : 1} ${time}`;
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
  return before !== undefined && (found === undefined || orderOf(found.startedAt) < orderOf(before.startedAt))
    ? before
    : found;
}

/** The status to write. */
export function statusOf(
  backup: Backup,
  { backup: last, success, drill }: Standing,
): Readonly<Record<string, unknown>> {
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

/** By then the CronJob has made its Job, whose first look writes the next time; else it is written without one. */
const AFTER_TICK_SECONDS = 30;

/** In how many seconds one of the next times is over; undefined while it is suspended. */
export function secondsToTick({ spec }: Backup): number | undefined {
  const { schedule, drill, timeZone, suspend } = spec;
  if (suspend) return undefined;
  const now = Date.now();
  const ticks = [schedule, ...(drill === undefined ? [] : [drill.schedule])].flatMap(
    (crontab) => nextTick(crontab, timeZone, now) ?? [],
  );
  return ticks.length === 0 ? undefined : Math.ceil((Math.min(...ticks) - now) / 1000) + AFTER_TICK_SECONDS;
}
