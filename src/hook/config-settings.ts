import type { HookSettings } from './binding.ts';
import { present, readFields, readInteger, reportValue, type Read } from './config-reader.ts';
import { parseDuration } from '../lib/duration.ts';

/** A Go duration of 0 or more; returns milliseconds. */
export const readDuration: Read<number> = (value, place) => {
  const durationMs = typeof value === 'string' ? parseDuration(value) : undefined;
  return durationMs !== undefined && durationMs >= 0
    ? durationMs
    : reportValue(place, value, 'a Go duration of 0 or more such as "30s" or "1m30s", at most 87600h');
};

const readBurst: Read<number> = (value, place) => {
  const burst = readInteger(value, place);
  if (burst === undefined || burst >= 0) return burst;
  return reportValue(place, value, 'a whole number that is not negative');
};

const readSettingsFields = readFields({
  executionMinInterval: readDuration,
  executionBurst: readBurst,
  timeout: readDuration,
});

/** The `settings` block: a duration of 0 means no limit, a burst of 0 means 1, as in shell-operator. */
export const readSettings: Read<HookSettings> = (value, place) => {
  const { executionMinInterval, executionBurst, timeout } = readSettingsFields(value, place);
  return present({
    executionMinIntervalMs: executionMinInterval || undefined,
    executionBurst: executionBurst === 0 ? 1 : executionBurst,
    timeoutMs: timeout || undefined,
  });
};
