import {
  compileJq,
  JqDepthError,
  JqError,
  JqHalt,
  JqLimitError,
  type JqLimits,
  type JqProgram,
  JqRoundedError,
  JqSyntaxError,
  jsonText,
  type JsonValue,
  parseJson,
  type RunOptions,
} from '@hooklet/jq';
import { FilterError } from '../errors.ts';
import {
  failedOutcome,
  type BriefFilter,
  type FilterInput,
  type FilterOutcome,
  type LocalFilter,
} from './compiled-filter.ts';

const MAX_OUTPUTS = 100_000;
/** The size limit of an object in the API server is about the same. */
const MAX_RESULT_LENGTH = 3_000_000;
/** Limits far above the needs of any real filter; a search with a regular expression has none. */
export const FILTER_LIMITS: JqLimits = {
  maxSteps: 10_000_000,
  timeoutMs: 1000,
  maxPlaces: 50_000_000,
  maxText: 2 ** 25,
};

const EXACT: RunOptions = {};
const ROUNDED: RunOptions = { isRounded: true };

/** Compiles a jq filter that is stopped at limits far above the needs of any real filter. */
export function compileJqFilter(expression: string): LocalFilter {
  const program = compileProgram(expression);
  return {
    apply: (object) => {
      const outcome = applyProgram(program, object, EXACT);
      return outcome instanceof Error ? failedOutcome(outcome.message) : outcome;
    },
  };
}

/** Compiles a jq filter that returns `undefined` when it exceeds `limits`. */
export function compileBriefJq(expression: string, limits: JqLimits): BriefFilter {
  const program = compileProgram(expression, limits);
  return {
    apply: (object) => {
      const rounded = applyProgram(program, object.value, ROUNDED);
      const outcome = rounded instanceof JqRoundedError ? applyExactly(program, object) : rounded;
      return outcome instanceof Error ? undefined : outcome;
    },
    elapsedMs: program.elapsedMs,
  };
}

/** Compiles a jq program with the limits of a filter; throws `FilterError` for a syntax error. */
export function compileProgram(expression: string, limits: JqLimits = FILTER_LIMITS): JqProgram {
  try {
    return compileJq(expression, { limits, numbers: 'integers' });
  } catch (error) {
    if (!(error instanceof JqSyntaxError)) throw error;
    throw new FilterError(`jq: ${error.message}`, { cause: error });
  }
}

/** Parses the JSON text of an object as the input of a filter, with all digits of its whole numbers. */
export function parseFilterInput(json: string): JsonValue {
  return parseJson(json, 1, 'integers');
}

/** All outputs of a program for an object, as the JSON text of an array; throws what the program raises. */
export function outputsText(program: JqProgram, object: unknown): string {
  return `[${textsOf(program, object, EXACT).join(',')}]`;
}

/** Parsing more than this takes too long for the event loop. */
const MAX_BRIEF_BYTES = 65_536;

/** Runs the program on the text of the object, which has the digits that JSON.parse has lost. */
function applyExactly(program: JqProgram, object: FilterInput): FilterOutcome | JqLimitError | JqRoundedError {
  const json = object.json();
  if (json.length > MAX_BRIEF_BYTES) return new JqRoundedError();
  return applyProgram(program, parseFilterInput(Buffer.from(json).toString()), EXACT);
}

/** Runs the program; returns its outcome, or why there is none. */
function applyProgram(
  program: JqProgram,
  object: unknown,
  options: RunOptions,
): FilterOutcome | JqLimitError | JqRoundedError {
  try {
    const texts = textsOf(program, object, options);
    const [only = 'null'] = texts;
    return { result: texts.length > 1 ? `[${texts.join(',')}]` : only };
  } catch (error) {
    if (error instanceof JqLimitError || error instanceof JqRoundedError) return error;
    if (error instanceof JqDepthError) return new JqLimitError(error.message);
    if (error instanceof JqError) return failedOutcome(error.message);
    // V8 throws RangeError for a string that is too long; any other error is a bug.
    if (error instanceof RangeError) return new JqLimitError(`the result is too large: ${error.message}`);
    throw error;
  }
}

/** Serializes the outputs while the program runs, so that its limits include that work. */
function textsOf(program: JqProgram, object: unknown, options: RunOptions): readonly string[] {
  const texts: string[] = [];
  let length = 0;
  const take = (output: JsonValue): void => {
    if (texts.length >= MAX_OUTPUTS) throw tooManyOutputs();
    const text = jsonText(output);
    length += text.length;
    if (length > MAX_RESULT_LENGTH) {
      throw new JqLimitError(`the filter was stopped at a result of more than ${MAX_RESULT_LENGTH} characters`);
    }
    texts.push(text);
  };
  try {
    program.run(object as JsonValue, take, options);
  } catch (error) {
    if (!(error instanceof JqHalt)) throw error;
    failHalted(error);
  }
  return texts;
}

/** `halt` ends a filter with the outputs so far; `halt_error` fails it. */
function failHalted({ output }: JqHalt): void {
  if (output === undefined) return;
  throw new JqError(typeof output === 'string' ? output.trimEnd() : output);
}

function tooManyOutputs(): JqLimitError {
  return new JqLimitError(`the filter was stopped after ${MAX_OUTPUTS} outputs`);
}
