import { type Budget, type Misfit, plainValue, thrownText } from './plain-value.ts';

/** A log entry of a hook that can be written as JSON. */
export interface LogEntry {
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const MAX_MESSAGE_CHARS = 10_000;
const MAX_FIELD_CHARS = 10_000;
const MAX_ENTRY_CHARS = 20_000;

/**
 * Converts the arguments of a log call; never throws, because a run must not fail because of its log. Values that JSON
 * cannot represent become text. Texts are cut after 10,000 characters; after 20,000 characters in all, fields are
 * omitted.
 */
export function logEntry(message: unknown, fields: unknown): LogEntry {
  const budget: Budget = { chars: MAX_ENTRY_CHARS };
  const text = cut(textOf(message), MAX_MESSAGE_CHARS);
  const plain = plainValue(fields, asText, budget);
  if (plain === undefined || plain === null) return { message: text, fields: {} };
  return {
    message: text,
    fields: shortened(isFields(plain) ? plain : { [isError(fields) ? 'error' : 'value']: plain }),
  };
}

const asText: Misfit = (problem, _path, value) => {
  if (typeof value === 'bigint' || typeof value === 'number') return String(value);
  if (typeof value === 'string') return cut(value, MAX_FIELD_CHARS);
  if (value instanceof Error) return cut(stackOf(value), MAX_FIELD_CHARS);
  return `[${problem}]`;
};

/** Cuts long texts, and replaces what exceeds the limit of the entry by a note. */
function shortened(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const kept: [string, unknown][] = [];
  const entries = Object.entries(fields);
  let left = MAX_ENTRY_CHARS;
  for (const [index, [key, value]] of entries.entries()) {
    const text = JSON.stringify(value) ?? '';
    const short =
      text.length <= MAX_FIELD_CHARS ? value : cut(typeof value === 'string' ? value : text, MAX_FIELD_CHARS);
    left -= Math.min(text.length, MAX_FIELD_CHARS) + key.length;
    if (left < 0) {
      kept.push(['truncated', `${entries.length - index} more field(s)`]);
      break;
    }
    kept.push([key, short]);
  }
  return Object.fromEntries(kept);
}

function isError(value: unknown): boolean {
  try {
    return value instanceof Error;
  } catch {
    return false;
  }
}

function textOf(message: unknown): string {
  try {
    return String(message);
  } catch (error) {
    return `[the message cannot be read: ${thrownText(error)}]`;
  }
}

function stackOf(error: Error): string {
  try {
    return String(error.stack ?? error.message);
  } catch {
    return thrownText(error);
  }
}

function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const kept = text.slice(0, limit);
  // A character outside the basic plane has two code units: it is never cut in half.
  return `${kept.isWellFormed() ? kept : kept.slice(0, -1)}:truncated`;
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
