import { printable } from './printable.ts';
import { messagesOf } from './text-line.ts';

/** One log line as shell-operator writes it. */
export interface CompatLine {
  readonly time: Date;
  /** A text in the field `level` counts instead: a hook may say `fatal`. */
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const LOGGER = 'shell-operator';

/**
 * Formats an object with `level`, `logger` and `msg` first, the other fields in the order of their names, `time` last in
 * whole seconds, and a newline; an error is the field `error`. It never throws because of a field's value.
 */
export function formatCompatLine({ time, level, message, fields }: CompatLine): string {
  const { level: own, logger = LOGGER, err, msg: _msg, time: _time, ...rest } = fields;
  const attributes = err === undefined ? rest : { ...rest, error: err instanceof Error ? messagesOf(err) : err };
  const entry = {
    level: typeof own === 'string' ? own : level,
    logger,
    msg: message,
    ...Object.fromEntries(Object.entries(attributes).toSorted(byName)),
    time: `${time.toISOString().slice(0, -'.000Z'.length)}Z`,
  };
  return `${printable(jsonOf(entry))}\n`;
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

function jsonOf(entry: Readonly<Record<string, unknown>>): string {
  try {
    return JSON.stringify(entry);
  } catch {
    return JSON.stringify(Object.fromEntries(Object.entries(entry).map(([name, value]) => [name, String(value)])));
  }
}
