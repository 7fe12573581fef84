import { inspect } from 'node:util';
import { printable } from './printable.ts';

/** One line of a log for programs. */
export interface JsonLine {
  readonly time: Date;
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Shows where errors were made. */
  readonly stacks: boolean;
}

const MAX_CAUSES = 5;

/**
 * An object with `level` and `time` first and `msg` last; ends in a newline. A log line does not fail for what is in it,
 * and does not steer a terminal that it is shown on.
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

/** What JSON cannot say, such as a circle, as text. */
function plainValue(value: unknown): unknown {
  try {
    JSON.stringify(value);
    return value;
  } catch {
    return inspect(value, { breakLength: Number.POSITIVE_INFINITY });
  }
}
