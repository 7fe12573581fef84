import {
  compileJq,
  JqDepthError,
  JqError,
  JqLimitError,
  type JqLimits,
  type JqProgram,
  JqSyntaxError,
  jsonText,
  type JsonValue,
} from '@hooklet/jq';
import { FilterError } from '../errors.ts';
import { failedOutcome, type BriefFilter, type FilterOutcome, type LocalFilter } from './compiled-filter.ts';

const MAX_OUTPUTS = 100_000;
/** The size limit of an object in the API server is about the same. */
const MAX_RESULT_LENGTH = 3_000_000;
const LIMITS: JqLimits = { maxSteps: 10_000_000, timeoutMs: 1000, maxPlaces: 50_000_000, maxText: 2 ** 25 };

/** Compiles a jq filter that is stopped at limits far above the needs of any real filter. */
export function compileJqFilter(expression: string): LocalFilter {
  const program = compileProgram(expression);
  return {
    apply: (object) => {
      const outcome = applyProgram(program, object);
      return outcome instanceof JqLimitError ? failedOutcome(outcome.message) : outcome;
    },
  };
}

/** Compiles a jq filter that returns `undefined` when it exceeds `limits`. */
export function compileBriefJq(expression: string, limits: JqLimits): BriefFilter {
  const program = compileProgram(expression, limits);
  return {
    apply: (object) => {
      const outcome = applyProgram(program, object);
      return outcome instanceof JqLimitError ? undefined : outcome;
    },
    elapsedMs: program.elapsedMs,
  };
}

/** Compiles a jq program with the limits of a filter; throws `FilterError` for a syntax error. */
export function compileProgram(expression: string, limits: JqLimits = LIMITS): JqProgram {
  try {
    return compileJq(expression, { limits });
  } catch (error) {
    if (!(error instanceof JqSyntaxError)) throw error;
    throw new FilterError(`jq: ${error.message}`, { cause: error });
  }
}

/** All outputs of a program for an object that was parsed from JSON; throws what the program raises. */
export function outputsOf(program: JqProgram, object: unknown): readonly JsonValue[] {
  const outputs: JsonValue[] = [];
  program.run(object as JsonValue, (output) => {
    if (outputs.length >= MAX_OUTPUTS) throw tooManyOutputs();
    outputs.push(output);
  });
  return outputs;
}

/** The same as `outputsOf`, as the JSON text of an array. */
export function outputsText(program: JqProgram, object: unknown): string {
  return `[${textsOf(program, object).join(',')}]`;
}

/** Runs the program; returns its outcome, or the limit that it exceeded. */
function applyProgram(program: JqProgram, object: unknown): FilterOutcome | JqLimitError {
  try {
    const texts = textsOf(program, object);
    const [only = 'null'] = texts;
    return { result: texts.length > 1 ? `[${texts.join(',')}]` : only };
  } catch (error) {
    if (error instanceof JqLimitError) return error;
    if (error instanceof JqDepthError) return new JqLimitError(error.message);
    if (error instanceof JqError) return failedOutcome(error.message);
    // V8 throws RangeError for a string that is too long; any other error is a bug.
    if (error instanceof RangeError) return new JqLimitError(`the result is too large: ${error.message}`);
    throw error;
  }
}

/** Serializes the outputs while the program runs, so that its limits include that work. */
function textsOf(program: JqProgram, object: unknown): readonly string[] {
  const texts: string[] = [];
  let length = 0;
  program.run(object as JsonValue, (output) => {
    if (texts.length >= MAX_OUTPUTS) throw tooManyOutputs();
    const text = jsonText(output);
    length += text.length;
    if (length > MAX_RESULT_LENGTH) {
      throw new JqLimitError(`the filter was stopped at a result of more than ${MAX_RESULT_LENGTH} characters`);
    }
    texts.push(text);
  });
  return texts;
}

function tooManyOutputs(): JqLimitError {
  return new JqLimitError(`the filter was stopped after ${MAX_OUTPUTS} outputs`);
}
