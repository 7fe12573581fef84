import { FilterError } from '../errors.ts';
import { compileFilter } from '../filter/filter.ts';
import type { Filter } from '../hook/binding.ts';

/** The error message of a filter that does not compile; undefined for one that does. */
export function checkFilter(filter: Filter): string | undefined {
  try {
    compileFilter(filter);
    return undefined;
  } catch (error) {
    if (error instanceof FilterError) return error.message;
    throw error;
  }
}
