import { stringify } from 'yaml';
import { durationText } from '../../lib/duration-text.ts';
import type { ScheduleDocument } from '../../server/schedule-document.ts';
import type { OutputFormat } from '../options/output-format.ts';

const HEAD = ['HOOK', 'BINDING', 'CRONTAB', 'ZONE', 'NEXT', 'LAST', 'LAST SUCCESS', 'OUTCOME', 'MISSED', 'STATE'];
const NOTHING = '-';

/** The output of `hooklet schedule list`. */
export function scheduleList(schedules: readonly ScheduleDocument[], format: OutputFormat, nowMs: number): string {
  if (format === 'json') return `${JSON.stringify(schedules, undefined, 2)}\n`;
  if (format === 'yaml') return stringify(schedules);
  if (schedules.length === 0) return 'No hook has a schedule.\n';
  const rows = [HEAD, ...schedules.map((schedule) => rowOf(schedule, nowMs))];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

function rowOf(schedule: ScheduleDocument, nowMs: number): readonly string[] {
  const { hook, binding, crontab, timeZone = 'local', next, lastScheduled, lastSuccess, outcome, missed } = schedule;
  return [
    hook,
    binding,
    crontab,
    // A time zone that the crontab contains is not printed twice.
    /^(?:CRON_)?TZ=/.test(crontab) ? NOTHING : timeZone,
    next === undefined ? NOTHING : `${shortTime(next)} (in ${age(Date.parse(next) - nowMs)})`,
    lastScheduled === undefined ? NOTHING : shortTime(lastScheduled),
    lastSuccess === undefined ? NOTHING : `${shortTime(lastSuccess)} (${age(nowMs - Date.parse(lastSuccess))} ago)`,
    outcome === undefined ? NOTHING : outcomeText(outcome, schedule, nowMs),
    String(missed),
    [stateText(schedule), schedule.kept ? 'kept' : 'not kept'].join(', '),
  ];
}

function stateText({ suspended, failures = 0 }: ScheduleDocument): string {
  const state = suspended ? 'suspended' : 'active';
  return failures === 0 ? state : `${state} after ${failures} failed`;
}

/** The outcome, and what the run waits for: its own next attempt, or another task before it in its queue. */
function outcomeText(outcome: string, { hook, heldBy }: ScheduleDocument, nowMs: number): string {
  if (heldBy === undefined) return outcome;
  const { attempt } = heldBy;
  const when = holdText(heldBy, nowMs);
  const failed = attempt > 1 ? 'failed, ' : '';
  const whose = heldBy.hook === hook ? failed : `${outcome} for ${heldBy.hook}, which ${failed}`;
  return `${whose}${when} (attempt ${attempt})`;
}

function holdText(
  { again, runningSince, limitedSince, limitedBy = 'executionMinInterval' }: Hold,
  nowMs: number,
): string {
  if (again !== undefined) return `again in ${age(Date.parse(again) - nowMs)}`;
  if (limitedSince !== undefined) return `waits for ${limitedBy} for ${age(nowMs - Date.parse(limitedSince))}`;
  return runningSince === undefined ? 'runs' : `runs for ${age(nowMs - Date.parse(runningSince))}`;
}

type Hold = NonNullable<ScheduleDocument['heldBy']>;

function age(durationMs: number): string {
  return durationText(durationMs);
}

function shortTime(time: string): string {
  return time.replace(/\.\d+Z$/, 'Z');
}
