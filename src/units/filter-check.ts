import { FilterError } from '../errors.ts';
import { compileFilter } from '../filter/filter.ts';
import type { Filter } from '../hook/binding.ts';

/** Why the filter does not compile; undefined when it does. */
export function checkFilter(filter: Filter): string | undefined {
  try {
    compileFilter(filter);
    return undefined;
  } catch (error) {
    if (error instanceof FilterError) return error.message;
    throw error;
  }
}
