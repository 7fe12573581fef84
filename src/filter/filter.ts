import { FilterError } from '../errors.ts';
import type { Filter } from '../hook/binding.ts';
import { compileJqFilter } from './jq-filter.ts';
import { compileJsonPath } from './json-path.ts';

/** The expression of a binding, ready to be applied to objects. */
export interface CompiledFilter {
  /** The filterResult of an object that came from JSON; never throws on data. */
  readonly apply: (object: unknown) => FilterOutcome;
}

/** `result` is JSON text: `null` for no output, one output as it is, several as an array; `null` beside an `error`. */
export interface FilterOutcome {
  readonly result: string;
  readonly error?: string;
}

/** Compiles the filter of a binding; a bad expression is a FilterError that says where it is bad. */
export function compileFilter(filter: Filter): CompiledFilter {
  const { type, expression } = filter;
  if (expression.trim() === '') throw new FilterError(`${type} filter is empty; leave it out to get the whole object`);
  return type === 'jq' ? compileJqFilter(expression) : compileJsonPath(expression);
}
