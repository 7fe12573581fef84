import { inspect } from 'node:util';
import { printable } from './printable.ts';

/** One log line in JSON. */
export interface JsonLine {
  readonly time: Date;
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Whether to include the stacks of errors. */
  readonly stacks: boolean;
}

const MAX_CAUSES = 5;

/**
 * Formats an object with `level` and `time` first and `msg` last, and a newline. It never throws because of a field's
 * value, and its output cannot control a terminal.
 */
export function formatJsonLine({ time, level, message, fields, stacks }: JsonLine): string {
  const entry = { level, time: time.toISOString(), ...fields, msg: message };
  const plain = 'err' in fields ? { ...entry, err: plainError(fields['err'], stacks, MAX_CAUSES) } : entry;
  try {
    return `${printable(JSON.stringify(plain))}\n`;
  } catch {
    const texts = Object.entries(plain).map(([name, value]) => [name, plainValue(value)]);
    return `${printable(JSON.stringify(Object.fromEntries(texts)))}\n`;
  }
}

function plainError(error: unknown, stacks: boolean, depth: number): unknown {
  if (!(error instanceof Error)) return error;
  const { name: type, message, stack, cause } = error;
  return {
    type,
    message,
    ...('code' in error && { code: error.code }),
    ...(stacks && { stack }),
    ...(cause !== undefined && depth > 0 && { cause: plainError(cause, stacks, depth - 1) }),
  };
}

/** Returns a value that JSON cannot represent, such as a circular one, as text. */
function plainValue(value: unknown): unknown {
  try {
    JSON.stringify(value);
    return value;
  } catch {
    return inspect(value, { breakLength: Number.POSITIVE_INFINITY });
  }
}
