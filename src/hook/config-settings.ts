import type { HookSettings, OutcomeCodes } from './binding.ts';
import { readDuration } from './config-duration.ts';
import { readExecutor } from './config-executor.ts';
import { readLock } from './config-lock.ts';
import {
  inside,
  present,
  readFields,
  readFlag,
  readInteger,
  readList,
  report,
  reportValue,
  type Place,
  type Read,
} from './config-reader.ts';
import { readRedact } from './config-redact.ts';
import { readRetry } from './config-retry.ts';

const readBurst: Read<number> = (value, place) => {
  const burst = readInteger(value, place);
  if (burst === undefined || burst >= 0) return burst;
  return reportValue(place, value, 'a whole number that is not negative');
};

const MAX_CODE = 255;
/** What a shell exits with when it cannot start a program: the hook is broken, whatever it is. */
const NOT_STARTED: readonly number[] = [126, 127];

function readCode(min: 0 | 1): Read<number> {
  return (value, place) => {
    const isCode = typeof value === 'number' && Number.isInteger(value) && value >= min && value <= MAX_CODE;
    if (!isCode) return reportValue(place, value, `an exit code from ${min} to ${MAX_CODE}`);
    if (!NOT_STARTED.includes(value)) return value;
    return report(
      place,
      `got ${value}, with which a shell says that a program cannot be started: it is always a failure`,
    );
  };
}

const readOutcomeFields = readFields(
  { success: readList(readCode(0)), later: readList(readCode(1)), permanent: readList(readCode(1)) },
  { isNonEmpty: true },
);

const readOutcome: Read<OutcomeCodes> = (value, place) => {
  const codes = readOutcomeFields(value, place);
  reportTwice(codes, place);
  return present(codes);
};

function reportTwice(codes: ReturnType<typeof readOutcomeFields>, place: Place): void {
  const first = new Map<number, string>();
  for (const [list, listed = []] of Object.entries(codes)) {
    for (const code of listed) {
      const other = first.get(code);
      if (other !== undefined) report(inside(place, list), `got ${code}, which is already in ${other}`);
      else first.set(code, list);
    }
  }
}

const readSettingsFields = readFields({
  executionMinInterval: readDuration,
  executionBurst: readBurst,
  timeout: readDuration,
  outcome: readOutcome,
  retry: readRetry,
  lock: readLock,
  executor: readExecutor,
  record: readFlag,
  redact: readList(readRedact, 0, 100),
});

/** The `settings` block: a duration of 0 means no limit, a burst of 0 means 1, as in shell-operator. */
export const readSettings: Read<HookSettings> = (value, place) => {
  const { executionMinInterval, executionBurst, timeout, record, redact, ...rest } = readSettingsFields(value, place);
  return present({
    executionMinIntervalMs: executionMinInterval || undefined,
    executionBurst: executionBurst === 0 ? 1 : executionBurst,
    timeoutMs: timeout || undefined,
    ...rest,
    // The default is left out.
    record: record === false ? record : undefined,
    redact: redact?.length === 0 ? undefined : redact,
  });
};
