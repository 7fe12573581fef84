import { shown } from '../lib/shown.ts';
import type { MissedPolicy, RetryRule, ScheduleBinding } from './binding.ts';
import {
  inside,
  present,
  readFields,
  readFlag,
  readList,
  readLabel,
  readText,
  readWhole,
  readWord,
  report,
  reportValue,
  type Fields,
  type Place,
  type Read,
} from './config-reader.ts';
import { readDuration } from './config-duration.ts';
import { readLock } from './config-lock.ts';
import { checkRetry, readRetry, readSuspendAfter } from './config-retry.ts';
import { parseCrontab, type Crontab } from '../crontab/crontab.ts';
import { isTimeZone } from '../crontab/time-zone.ts';

const DEFAULT_MISSED_LIMIT = 100;
const MAX_MISSED_LIMIT = 1000;

/** A crontab; errors are worded as in shell-operator. */
export const readCrontab: Read<Crontab> = (value, place) => {
  const text = readText(value, place);
  if (text === undefined) return undefined;
  try {
    return parseCrontab(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return report(place, `got ${shown(text)}: crontab is invalid: ${error.message}`);
  }
};

const readTimeZone: Read<string> = (value, place) =>
  typeof value === 'string' && value !== '' && isTimeZone(value)
    ? value
    : reportValue(place, value, 'an IANA time zone such as Europe/Berlin');

const readDeadline: Read<number> = (value, place) => {
  const deadlineMs = readDuration(value, place);
  return deadlineMs === 0 ? reportValue(place, value, 'a Go duration above zero such as "1h"') : deadlineMs;
};

const SHAPE = {
  crontab: readCrontab,
  timeZone: readTimeZone,
  name: readLabel,
  concurrency: readWord({ queue: 'queue', skip: 'skip', replace: 'replace' } as const),
  missed: readWord({ skip: 'skip', latest: 'latest', all: 'all' } as const),
  missedLimit: readWhole(1, MAX_MISSED_LIMIT),
  startingDeadline: readDeadline,
  jitter: readDuration,
  allowFailure: readFlag,
  queue: readLabel,
  group: readLabel,
  includeSnapshotsFrom: readList(readText, 1),
  retry: readRetry,
  suspendAfter: readSuspendAfter,
  lock: readLock,
};

/** One entry of `schedule` as written, each field checked. */
export type ScheduleEntry = Fields<typeof SHAPE>;

const readEntryFields = readFields(SHAPE, {
  required: { crontab: 'a crontab such as "*/5 * * * *"' },
});

export const readScheduleEntry: Read<ScheduleEntry> = (value, place) => {
  const entry = readEntryFields(value, place);
  checkTogether(entry, place);
  checkRetry(entry, place);
  return entry;
};

/** Fills in the defaults, `retry` among them; `undefined` for an entry whose crontab is missing or wrong. */
export function toScheduleBinding(
  entry: ScheduleEntry,
  snapshots: readonly string[],
  retry?: RetryRule,
): ScheduleBinding | undefined {
  const { crontab, timeZone, name = 'schedule', concurrency = 'queue', startingDeadline, jitter = 0 } = entry;
  const { allowFailure = false, queue = 'main', group } = entry;
  if (crontab === undefined) return undefined;
  return {
    type: 'schedule',
    name,
    crontab: { ...crontab, ...present({ timeZone }) },
    concurrency,
    missed: missedPolicy(entry),
    jitterMs: jitter,
    allowFailure,
    queue,
    includeSnapshotsFrom: snapshots,
    ...present({
      group,
      startingDeadlineMs: startingDeadline,
      retry: entry.retry ?? retry,
      suspendAfter: entry.suspendAfter,
      lock: entry.lock,
    }),
  };
}

function missedPolicy({ missed = 'skip', missedLimit = DEFAULT_MISSED_LIMIT }: ScheduleEntry): MissedPolicy {
  return missed === 'all' ? { type: 'all', limit: missedLimit } : { type: missed };
}

function checkTogether({ crontab, timeZone, concurrency, missed, missedLimit, group }: ScheduleEntry, place: Place) {
  if (timeZone !== undefined && crontab?.timeZone !== undefined) {
    report(inside(place, 'timeZone'), `the crontab has TZ=${crontab.timeZone} already, expected one of the two`);
  }
  if (missedLimit !== undefined && missed !== 'all') {
    report(inside(place, 'missedLimit'), 'has an effect only with "missed: all"');
  }
  if (concurrency === 'replace' && group !== undefined) {
    report(
      inside(place, 'concurrency'),
      'got "replace" in a group, but a run of a group also serves other bindings; expected queue or skip',
    );
  }
}
