import { JSONPathClass } from 'jsonpath-plus';
import { failedOutcome, type BriefFilter, type FilterOutcome, type LocalFilter } from './compiled-filter.ts';
import { normalizeJsonPath } from './json-path-syntax.ts';
import { isBriefFor, shapeOf } from './json-path-cost.ts';

const MAX_MATCHES = 100_000;
/** The size limit of an object in the API server is about the same. */
const MAX_RESULT_LENGTH = 3_000_000;

/**
 * Compiles a JSONPath filter that runs to its end in this process; throws `FilterError` for a syntax error. Every match
 * counts as an output. The operator uses it only in the filter process, because the library cannot be interrupted.
 */
export function compileJsonPath(expression: string): LocalFilter {
  const path = normalizeJsonPath(expression);
  return {
    apply: (object) => evaluate(path, object) ?? failedOutcome('the object is nested too deeply for this JSONPath'),
  };
}

/** Compiles a JSONPath filter that returns `undefined`, without trying, for an object on which it might be slow. */
export function compileBriefJsonPath(expression: string): BriefFilter {
  const path = normalizeJsonPath(expression);
  const shape = shapeOf(path);
  return {
    apply: ({ value }) => (isBriefFor(shape, value) ? evaluate(path, value) : undefined),
    // A slow evaluation is not even begun, so no time is wasted.
    elapsedMs: () => 0,
  };
}

// One instance is reused: called as a function, the library throws and catches an exception for each scalar.
const ENGINE = new JSONPathClass({ autostart: false, eval: false, path: '$', json: {} });

/** Evaluates the path; returns `undefined` when the object is nested too deeply for the stack. */
function evaluate(path: string, object: unknown): FilterOutcome | undefined {
  try {
    if (typeof object !== 'object' || object === null) return { result: path === '$' ? textOf(object) : 'null' };
    const matches: unknown = ENGINE.evaluate({ json: object, path, wrap: true, eval: false, resultType: 'value' });
    return Array.isArray(matches) ? outcomeOf(matches) : { result: 'null' };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function outcomeOf(matches: readonly unknown[]): FilterOutcome {
  if (matches.length > MAX_MATCHES) return failedOutcome(`the filter was stopped after ${MAX_MATCHES} outputs`);
  const [only = null] = matches;
  const result = textOf(matches.length > 1 ? matches : only);
  if (result.length <= MAX_RESULT_LENGTH) return { result };
  return failedOutcome(`the filter was stopped at a result of more than ${MAX_RESULT_LENGTH} characters`);
}

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}
