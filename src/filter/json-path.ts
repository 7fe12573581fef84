import { JSONPathClass } from 'jsonpath-plus';
import type { CompiledFilter } from './compiled-filter.ts';
import { normalizeJsonPath } from './json-path-syntax.ts';

/** A JSONPath filter: every match counts as an output. */
export function compileJsonPath(expression: string): CompiledFilter {
  const path = normalizeJsonPath(expression);
  return {
    apply: (object) => {
      if (typeof object !== 'object' || object === null) return { result: path === '$' ? textOf(object) : 'null' };
      const matches: unknown = ENGINE.evaluate({ json: object, path, wrap: true, eval: false, resultType: 'value' });
      if (!Array.isArray(matches) || matches.length === 0) return { result: 'null' };
      return { result: textOf(matches.length === 1 ? matches[0] : matches) };
    },
  };
}

// One instance serves all: called as a function, the library throws and catches an exception for each scalar.
const ENGINE = new JSONPathClass({ autostart: false, eval: false, path: '$', json: {} });

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}
