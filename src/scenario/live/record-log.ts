import type { JsonObject, JsonValue } from '@hooklet/sandbox';
import type { LogFields, Logger } from '../../log.ts';
import type { Recorder } from './recorder.ts';

const MAX_TEXT = 4000;

/** A logger that writes its lines into the timeline as long as `isCurrent`; those of `debug` are left out. */
export function recordLog(recorder: Recorder, isCurrent: () => boolean, bound: LogFields = {}): Logger {
  const at = (level: string) => (fields: LogFields, message: string) => {
    if (isCurrent()) recorder.add({ type: 'log', level, message, fields: plain({ ...bound, ...fields }) });
  };
  return {
    debug: () => {},
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => recordLog(recorder, isCurrent, { ...bound, ...fields }),
  };
}

function plain(fields: LogFields): JsonObject {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, plainValue(value)]));
}

function plainValue(value: unknown): JsonValue {
  if (value instanceof Error) return value.message.slice(0, MAX_TEXT);
  if (typeof value === 'string') return value.slice(0, MAX_TEXT);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  try {
    const text = JSON.stringify(value);
    return text === undefined || text.length > MAX_TEXT
      ? (text ?? '').slice(0, MAX_TEXT)
      : (JSON.parse(text) as JsonValue);
  } catch {
    return 'a value that is no JSON';
  }
}
