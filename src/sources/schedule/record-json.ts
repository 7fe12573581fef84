import { present } from '../../hook/config-reader.ts';
import { countIn, failAt, wordIn } from '../../lib/json-member.ts';
import { isObject, type JsonObject } from '../../lib/json-object.ts';
import { isScheduledReason, type OpenRun, type ScheduleRecord } from './record.ts';

/** The record as JSON text that a person can read and change; `parseRecord` reads it back. */
export function formatRecord(record: ScheduleRecord): string {
  const { hook, binding, crontab, timeZone, last, open, missed, isSuspended, failures } = record;
  const value = {
    hook,
    binding,
    crontab,
    timeZone,
    since: formatTime(record.sinceMs),
    coveredUntil: formatTime(record.coveredUntilMs),
    lastScheduled: formatTime(record.lastScheduledMs),
    lastStarted: formatTime(record.lastStartedMs),
    lastSucceeded: formatTime(record.lastSucceededMs),
    lastRun: last,
    open: open.map(({ scheduledAtMs, holder, heartbeatMs, ...run }) => ({
      ...run,
      by: holder,
      scheduledAt: formatTime(scheduledAtMs),
      aliveAt: formatTime(heartbeatMs),
    })),
    missed,
    suspended: isSuspended,
    failures,
  };
  return JSON.stringify(value, null, 2);
}

/** The record that the text of `formatRecord` contains; throws a `SyntaxError` that says what is wrong. */
export function parseRecord(text: string): ScheduleRecord {
  const value = readObject(JSON.parse(text), 'the text');
  const timeZone = value['timeZone'] === undefined ? undefined : readText(value, 'timeZone');
  const times = {
    lastScheduledMs: readOptionalTime(value, 'lastScheduled'),
    lastStartedMs: readOptionalTime(value, 'lastStarted'),
    lastSucceededMs: readOptionalTime(value, 'lastSucceeded'),
  };
  const last = value['lastRun'] === undefined ? undefined : readLast(value['lastRun']);
  const failures = value['failures'] === undefined ? undefined : countIn(value, 'failures');
  return {
    hook: readText(value, 'hook'),
    binding: readText(value, 'binding'),
    crontab: readText(value, 'crontab'),
    sinceMs: readTime(value, 'since'),
    coveredUntilMs: readTime(value, 'coveredUntil'),
    open: readList(value, 'open').map(readRun),
    missed: countIn(value, 'missed'),
    isSuspended: readFlag(value, 'suspended'),
    ...present({ timeZone, ...times, last, failures }),
  };
}

const STATES = ['waiting', 'running', 'interrupted'] as const;
const OUTCOMES = [...STATES, 'succeeded', 'failed', 'replaced'] as const;

function readRun(element: unknown): OpenRun {
  const value = readObject(element, 'an element of open');
  const reason = readText(value, 'reason');
  if (!isScheduledReason(reason)) throw new SyntaxError(`reason is ${reason}, expected tick, catch-up or manual`);
  return {
    runId: readText(value, 'runId'),
    scheduledAtMs: readTime(value, 'scheduledAt'),
    reason,
    state: wordIn(value, 'state', STATES),
    attempts: countIn(value, 'attempts'),
    holder: readText(value, 'by'),
    heartbeatMs: readTime(value, 'aliveAt'),
  };
}

function readLast(element: unknown): NonNullable<ScheduleRecord['last']> {
  const value = readObject(element, 'lastRun');
  return { runId: readText(value, 'runId'), outcome: wordIn(value, 'outcome', OUTCOMES) };
}

function formatTime(timeMs: number | undefined): string | undefined {
  return timeMs === undefined ? undefined : new Date(timeMs).toISOString();
}

function readOptionalTime(value: JsonObject, key: string): number | undefined {
  return value[key] === undefined ? undefined : readTime(value, key);
}

function readTime(value: JsonObject, key: string): number {
  const timeMs = Date.parse(readText(value, key));
  if (Number.isNaN(timeMs)) throw new SyntaxError(`${key} is not a time: ${JSON.stringify(value[key])}`);
  return timeMs;
}

function readText(value: JsonObject, key: string): string {
  const text = value[key];
  return typeof text === 'string' ? text : failAt(value, key, 'a string');
}

function readFlag(value: JsonObject, key: string): boolean {
  const flag = value[key];
  return typeof flag === 'boolean' ? flag : failAt(value, key, 'true or false');
}

function readList(value: JsonObject, key: string): readonly unknown[] {
  const list = value[key];
  return Array.isArray(list) ? list : failAt(value, key, 'a list');
}

function readObject(value: unknown, what: string): JsonObject {
  if (!isObject(value)) throw new SyntaxError(`${what} is not a mapping`);
  return value;
}
