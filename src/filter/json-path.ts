import { JSONPathClass } from 'jsonpath-plus';
import { failedOutcome, type BriefFilter, type FilterOutcome, type LocalFilter } from './compiled-filter.ts';
import { normalizeJsonPath } from './json-path-syntax.ts';
import { isBriefFor, shapeOf } from './json-path-cost.ts';

const MAX_MATCHES = 100_000;
/** No object is larger in etcd. */
const MAX_RESULT_LENGTH = 3_000_000;

/** A JSONPath filter: every match counts as an output. */
export function compileJsonPath(expression: string): LocalFilter {
  const path = normalizeJsonPath(expression);
  return {
    apply: (object) => evaluate(path, object) ?? failedOutcome('the object is nested too deeply for this JSONPath'),
  };
}

/** A JSONPath filter that gives up on objects for which it may take long. */
export function compileBriefJsonPath(expression: string): BriefFilter {
  const path = normalizeJsonPath(expression);
  const shape = shapeOf(path);
  return {
    apply: (object) => (isBriefFor(shape, object) ? evaluate(path, object) : undefined),
    // What may take long is not begun.
    elapsedMs: () => 0,
  };
}

// One instance serves all: called as a function, the library throws and catches an exception for each scalar.
const ENGINE = new JSONPathClass({ autostart: false, eval: false, path: '$', json: {} });

/** The outcome; none where the stack is too small for the object. */
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
