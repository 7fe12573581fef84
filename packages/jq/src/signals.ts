import type { JsonValue } from './value.ts';

/**
 * Thrown for what a program raises with `error`, and by every failing builtin. Not an `Error`: it is thrown and caught
 * often and must not cost a stack trace.
 */
export class RaisedValue {
  readonly value: JsonValue;

  constructor(value: JsonValue) {
    this.value = value;
  }
}

/** Thrown by `break`; caught by the label or loop that made `target`. */
export class BreakSignal {
  readonly target: object;

  constructor(target: object) {
    this.target = target;
  }
}

/** Raises `value` as the program's own error. */
export function raise(value: JsonValue): never {
  throwUnknown(new RaisedValue(value));
}

/** Unwinds to the label or loop that owns `target`. */
export function breakTo(target: object): never {
  throwUnknown(new BreakSignal(target));
}

/** Whether a thrown value is a break to `target`. */
export function isBreakTo(thrown: unknown, target: object): boolean {
  return thrown instanceof BreakSignal && thrown.target === target;
}

/** Thrown when a run exceeds one of its limits; jq's `try` does not catch it. */
export class JqLimitError extends Error {
  override readonly name = 'JqLimitError';
}

/** Thrown when a run on a rounded input needs a whole number above 2^53, whose last digits may be lost. */
export class JqRoundedError extends Error {
  override readonly name = 'JqRoundedError';

  constructor() {
    super('a whole number above 2^53 has lost its last digits');
  }
}

/** Thrown by `halt` and `halt_error`: the program ends, and a command that runs it exits with `exitCode`. */
export class JqHalt extends Error {
  override readonly name = 'JqHalt';
  readonly exitCode: number;
  /** What `halt_error` prints; absent for `halt`. */
  readonly output: JsonValue | undefined;

  constructor(exitCode: number, output?: JsonValue) {
    super(`halted with exit code ${exitCode}`);
    this.exitCode = exitCode;
    this.output = output;
  }
}

function throwUnknown(thrown: unknown): never {
  throw thrown;
}
