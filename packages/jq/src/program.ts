import { createBuiltins } from './builtins.ts';
import { compileNode } from './compile.ts';
import type { Context, JqHost } from './context.ts';
import { FORMATS } from './formats.ts';
import { jsonText } from './json-text.ts';
import { EMPTY_ENV } from './machine.ts';
import { exchangeMeter, Meter, type JqLimits } from './meter.ts';
import type { Numbers } from './number-literal.ts';
import { parseProgram } from './parse.ts';
import { BreakSignal, RaisedValue } from './signals.ts';
import { JqSyntaxError } from './syntax-error.ts';
import type { JsonObject, JsonValue } from './value.ts';

/** The options of `compileJq`. */
export interface JqOptions {
  /** Variables passed in from outside, by name without the `$`. */
  readonly variables?: JsonObject;
  /** The value of `$ENV` and `env`; default an empty object. */
  readonly environment?: JsonObject;
  /**
   * Inputs and outputs besides the one input; without a host, a program that calls a builtin that needs one does not
   * compile.
   */
  readonly host?: JqHost;
  /** The limits of one run, which ends with a JqLimitError when it exceeds one; default no limits. */
  readonly limits?: JqLimits;
  /**
   * Which number literals of the program, and of what it parses, are kept as they are written; default `doubles`. In
   * the other modes an output may be a symbol, whose description is the text of the number; `jsonText` writes it.
   */
  readonly numbers?: Numbers;
  /** A clock for the limits; default `performance.now`. */
  readonly nowMs?: () => number;
}

/** What is to be known of the input of one run. */
export interface RunOptions {
  /**
   * Whether JSON.parse made the input, so that whole numbers above 2^53 may have lost digits. A run that depends on
   * such a number ends with a JqRoundedError; then parse the input with `parseJson` and run again.
   */
  readonly isRounded?: boolean;
}

/** A compiled program. Nothing that one run computes affects the next, and the input is never changed. */
export interface JqProgram {
  /** Calls `emit` with each output, in order; throws JqError for an error the program does not catch. */
  readonly run: (input: JsonValue, emit: (output: JsonValue) => void, options?: RunOptions) => void;
  /** The steps of the last run, in the unit of `JqLimits.maxSteps`. */
  readonly steps: () => number;
  /** Milliseconds since the last run began; meaningful only with limits. */
  readonly elapsedMs: () => number;
}

/** Thrown for an error that a program raised and did not catch; `value` is what `catch` would have received. */
export class JqError extends Error {
  override readonly name = 'JqError';
  readonly value: JsonValue;

  constructor(value: JsonValue) {
    super(typeof value === 'string' ? value : `(not a string): ${jsonText(value)}`);
    this.value = value;
  }
}

/** Thrown when a run recurses deeper than the call stack allows; the same run may succeed where the stack is larger. */
export class JqDepthError extends JqError {}

/** Compiles a jq program once, for many runs; throws JqSyntaxError with line and column. */
export function compileJq(source: string, options: JqOptions = {}): JqProgram {
  const meter = new Meter(options.limits, options.nowMs ?? (() => performance.now()), options.numbers);
  const context: Context = {
    compile: (node, scope, isTail = false) => compileNode(node, context, { scope, isTail }),
    compileBuiltin: createBuiltins(() => context),
    compileFormat: (name, at) => FORMATS[name] ?? context.fail(`${name} is not a valid format`, at),
    meter,
    host: options.host,
    environment: options.environment ?? {},
    variables: options.variables ?? {},
    fail: (reason, at) => {
      throw new JqSyntaxError(reason, source, at);
    },
  };
  const { run, one } = compileGuarded(source, context);
  return {
    run: (input, emit, { isRounded = false } = {}) => {
      const outer = exchangeMeter(meter);
      meter.start(isRounded);
      try {
        if (one === undefined) run(input, undefined, EMPTY_ENV, emit);
        else emit(one(input, EMPTY_ENV));
      } catch (thrown) {
        throw asError(thrown);
      } finally {
        exchangeMeter(outer);
      }
    },
    steps: () => meter.steps,
    elapsedMs: () => meter.elapsedMs,
  };
}

function compileGuarded(source: string, context: Context) {
  try {
    return context.compile(parseProgram(source, context.meter.numbers), undefined);
  } catch (error) {
    if (!isStackOverflow(error)) throw error;
    throw new JqSyntaxError('the expression is nested too deeply', source, 0);
  }
}

/**
 * Converts what a run threw into what its caller gets. Errors thrown by the caller's own `emit` pass through unchanged.
 */
function asError(thrown: unknown): unknown {
  if (thrown instanceof RaisedValue) return new JqError(thrown.value);
  if (thrown instanceof BreakSignal) return new JqError('break');
  if (isStackOverflow(thrown)) return new JqDepthError('the recursion is too deep');
  return thrown;
}

function isStackOverflow(thrown: unknown): boolean {
  return thrown instanceof RangeError && thrown.message.includes('call stack');
}
