import { FilterError } from '../errors.ts';
import type { CompiledFilter, FilterOutcome } from './compiled-filter.ts';
import { jsonText } from './jq/json-text.ts';
import { compileJq, JqError, type JqProgram } from './jq/program.ts';
import { JqLimitError } from './jq/signals.ts';
import { JqSyntaxError } from './jq/syntax-error.ts';
import type { JsonValue } from './jq/value.ts';

const MAX_OUTPUTS = 100_000;
const LIMITS = { maxSteps: 10_000_000, timeoutMs: 1000 };

/** A jq filter, stopped when it runs longer or puts out more than any filter has reason to. */
export function compileJqFilter(expression: string): CompiledFilter {
  const program = compileProgram(expression);
  return { apply: (object) => applyProgram(program, object) };
}

/** A jq program with the limits of a filter; a FilterError where it does not compile. */
export function compileProgram(expression: string): JqProgram {
  try {
    return compileJq(expression, { limits: LIMITS });
  } catch (error) {
    if (!(error instanceof JqSyntaxError)) throw error;
    throw new FilterError(`jq: ${error.message}`, { cause: error });
  }
}

/** All outputs of a program for one object that came from JSON. */
export function outputsOf(program: JqProgram, object: unknown): readonly JsonValue[] {
  const outputs: JsonValue[] = [];
  program.run(object as JsonValue, (output) => {
    if (outputs.length >= MAX_OUTPUTS) throw new JqLimitError(`the filter was stopped after ${MAX_OUTPUTS} outputs`);
    outputs.push(output);
  });
  return outputs;
}

function applyProgram(program: JqProgram, object: unknown): FilterOutcome {
  try {
    const outputs = outputsOf(program, object);
    const [only = null] = outputs;
    return { result: jsonText(outputs.length > 1 ? outputs : only) };
  } catch (error) {
    if (error instanceof JqError || error instanceof JqLimitError) return { result: 'null', error: error.message };
    // Nesting or a text too large for the machine; anything else is a bug.
    if (error instanceof RangeError) return { result: 'null', error: `the result is too large: ${error.message}` };
    throw error;
  }
}
