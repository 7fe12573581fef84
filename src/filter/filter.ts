import { FilterError } from '../errors.ts';
import type { Filter } from '../hook/binding.ts';
import type { CompiledFilter } from './compiled-filter.ts';
import { compileJqFilter } from './jq-filter.ts';
import { compileJsonPath } from './json-path.ts';

/** Compiles the filter of a binding; a bad expression is a FilterError that says where it is bad. */
export function compileFilter(filter: Filter): CompiledFilter {
  const { type, expression } = filter;
  if (expression.trim() === '') throw new FilterError(`${type} filter is empty; leave it out to get the whole object`);
  return type === 'jq' ? compileJqFilter(expression) : compileJsonPath(expression);
}
