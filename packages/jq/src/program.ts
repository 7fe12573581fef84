import { createBuiltins } from './builtins.ts';
import { compileNode } from './compile.ts';
import type { Context, JqHost } from './context.ts';
import { FORMATS } from './formats.ts';
import { jsonText } from './json-text.ts';
import { EMPTY_ENV } from './machine.ts';
import { exchangeMeter, Meter, type JqLimits } from './meter.ts';
import { parseProgram } from './parse.ts';
import { BreakSignal, RaisedValue } from './signals.ts';
import { JqSyntaxError } from './syntax-error.ts';
import type { JsonObject, JsonValue } from './value.ts';

export interface JqOptions {
  /** Values of variables from outside, by name without the `$`. */
  readonly variables?: JsonObject;
  /** What `$ENV` and `env` hold; default nothing. */
  readonly environment?: JsonObject;
  /** Inputs and outputs beside the one input; without it the builtins that need them are compile errors. */
  readonly host?: JqHost;
  /** What one run may use before it is ended with a JqLimitError; default no limits. */
  readonly limits?: JqLimits;
  /** A clock for the limits; default `performance.now`. */
  readonly nowMs?: () => number;
}

/** A compiled program; it keeps nothing from one run to the next and never changes its input. */
export interface JqProgram {
  /** Calls `emit` with each output, in order; throws JqError for an error the program does not catch. */
  readonly run: (input: JsonValue, emit: (output: JsonValue) => void) => void;
  /** The work of the last run, in the units of its limits. */
  readonly steps: () => number;
  /** The time since the last run began; counted where there are limits. */
  readonly elapsedMs: () => number;
}

/** An error that a program raised and did not catch; `value` is what `catch` would have seen. */
export class JqError extends Error {
  override readonly name = 'JqError';
  readonly value: JsonValue;

  constructor(value: JsonValue) {
    super(typeof value === 'string' ? value : `(not a string): ${jsonText(value)}`);
    this.value = value;
  }
}

/** The calls of a run went deeper than the stack allows; elsewhere it may be larger. */
export class JqDepthError extends JqError {}

/** Compiles a jq program once, for many runs; throws JqSyntaxError with line and column. */
export function compileJq(source: string, options: JqOptions = {}): JqProgram {
  const meter = new Meter(options.limits, options.nowMs ?? (() => performance.now()));
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
    run: (input, emit) => {
      const outer = exchangeMeter(meter);
      meter.start();
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
    return context.compile(parseProgram(source), undefined);
  } catch (error) {
    if (!isStackOverflow(error)) throw error;
    throw new JqSyntaxError('the expression is nested too deeply', source, 0);
  }
}

/** What a run's caller sees of anything thrown; errors of the caller's own `emit` pass as they are. */
function asError(thrown: unknown): unknown {
  if (thrown instanceof RaisedValue) return new JqError(thrown.value);
  if (thrown instanceof BreakSignal) return new JqError('break');
  if (isStackOverflow(thrown)) return new JqDepthError('the recursion is too deep');
  return thrown;
}

function isStackOverflow(thrown: unknown): boolean {
  return thrown instanceof RangeError && thrown.message.includes('call stack');
}
