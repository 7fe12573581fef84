import { parseDuration } from '../lib/duration.ts';
import { reportValue, type Read } from './config-reader.ts';

/** A Go duration of 0 or more; returns milliseconds. */
export const readDuration: Read<number> = (value, place) => {
  const durationMs = typeof value === 'string' ? parseDuration(value) : undefined;
  return durationMs !== undefined && durationMs >= 0
    ? durationMs
    : reportValue(place, value, 'a Go duration of 0 or more such as "30s" or "1m30s", at most 87600h');
};
