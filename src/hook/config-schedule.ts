import type { ScheduleBinding } from './binding.ts';
import {
  present,
  readFields,
  readFlag,
  readList,
  readOptionalText,
  readText,
  report,
  type Fields,
  type Read,
} from './config-reader.ts';
import { parseCrontab, type Crontab } from './crontab.ts';

const readCrontab: Read<Crontab> = (value, place) => {
  const text = readText(value, place);
  if (text === undefined) return undefined;
  try {
    return parseCrontab(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return report(place, `got ${JSON.stringify(text)}: ${error.message}`);
  }
};

const SHAPE = {
  crontab: readCrontab,
  name: readOptionalText,
  allowFailure: readFlag,
  queue: readOptionalText,
  group: readOptionalText,
  includeSnapshotsFrom: readList(readText, 1),
};

/** One entry of `schedule` as written, each field checked. */
export type ScheduleEntry = Fields<typeof SHAPE>;

export const readScheduleEntry: Read<ScheduleEntry> = readFields(SHAPE, {
  required: { crontab: 'a crontab such as "*/5 * * * *"' },
});

/** Fills in the defaults; `undefined` for an entry whose crontab is missing or wrong. */
export function toScheduleBinding(entry: ScheduleEntry, snapshots: readonly string[]): ScheduleBinding | undefined {
  const { crontab, name = 'schedule', allowFailure = false, queue = 'main', group } = entry;
  if (crontab === undefined) return undefined;
  return {
    type: 'schedule',
    name,
    crontab,
    concurrency: 'queue',
    missed: { type: 'skip' },
    jitterMs: 0,
    allowFailure,
    queue,
    includeSnapshotsFrom: snapshots,
    ...present({ group }),
  };
}
