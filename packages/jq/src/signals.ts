import type { JsonValue } from './value.ts';

/**
 * What a program raises with `error`, and every failing builtin. Not an `Error`: it is thrown and caught often and must
 * not cost a stack trace.
 */
export class RaisedValue {
  readonly value: JsonValue;

  constructor(value: JsonValue) {
    this.value = value;
  }
}

/** `break`: unwinds to the label that made `target`. */
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

/** Leaves everything up to the label or loop that owns `target`. */
export function breakTo(target: object): never {
  throwUnknown(new BreakSignal(target));
}

export function isBreakTo(thrown: unknown, target: object): boolean {
  return thrown instanceof BreakSignal && thrown.target === target;
}

/** The program used more than its limits allow; no `try` catches it. */
export class JqLimitError extends Error {
  override readonly name = 'JqLimitError';
}

/** `halt` and `halt_error`: ends the program, and the process of a command that runs it. */
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
