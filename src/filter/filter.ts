import { FilterError } from '../errors.ts';
import type { Filter } from '../hook/binding.ts';
import type { LocalFilter } from './compiled-filter.ts';
import { compileJqFilter } from './jq-filter.ts';
import { compileJsonPath } from './json-path.ts';

/** Compiles a filter that runs to its end in this process; throws `FilterError` with the position of a syntax error. */
export function compileFilter(filter: Filter): LocalFilter {
  const { type, expression } = filter;
  checkExpression(filter);
  return type === 'jq' ? compileJqFilter(expression) : compileJsonPath(expression);
}

/** Throws `FilterError` for an empty expression. */
export function checkExpression({ type, expression }: Filter): void {
  if (expression.trim() === '') throw new FilterError(`${type} filter is empty; leave it out to get the whole object`);
}
