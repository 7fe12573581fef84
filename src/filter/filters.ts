import { JqDepthError, JqLimitError } from '@hooklet/jq';
import { FilterError } from '../errors.ts';
import type { Filter } from '../hook/binding.ts';
import { BriefLimits } from './brief-limits.ts';
import { failedOutcome, type BriefFilter, type CompiledFilter, type FilterInput } from './compiled-filter.ts';
import { checkExpression } from './filter.ts';
import { FilterProcess } from './filter-process.ts';
import { compileBriefJq, compileProgram, outputsOf } from './jq-filter.ts';
import { compileBriefJsonPath } from './json-path.ts';

/** The filters of one operator: brief work is done at once, the rest where it can be ended. */
export interface Filters {
  /** Compiles the filter of a binding; a bad expression is a FilterError that says where it is bad. */
  compile(filter: Filter): CompiledFilter;
  /** Compiles the expression of a JQPatch to what gives all outputs for one object and rejects with what the program raises. */
  compilePatch(expression: string): (object: unknown) => Promise<readonly unknown[]>;
  /** Ends what is under way. */
  end(): void;
}

/** Opens the filters; no process is started before one is needed. */
export function openFilters(elsewhere: Pick<FilterProcess, 'run' | 'end'> = new FilterProcess()): Filters {
  const limits = new BriefLimits();
  return {
    compile: (filter) => {
      checkExpression(filter);
      return bounded(filter, limits, elsewhere);
    },
    compilePatch: (expression) => patchOf(expression, limits, elsewhere),
    end: () => elsewhere.end(),
  };
}

type Elsewhere = Pick<FilterProcess, 'run'>;

function bounded({ type, expression }: Filter, limits: BriefLimits, elsewhere: Elsewhere): CompiledFilter {
  const brief: BriefFilter = type === 'jq' ? compileBriefJq(expression, limits) : compileBriefJsonPath(expression);
  return {
    apply: (object) => {
      const outcome = brief.apply(object.value);
      if (outcome !== undefined) return outcome;
      limits.wasted(brief.elapsedMs());
      const json = jsonOf(object);
      if (json === undefined) return failedOutcome('the object is nested too deeply');
      return elsewhere.run({ type, expression, json, tenant: object.namespace, version: versionOf(object) });
    },
  };
}

/** The text of the object; none where it has to be written anew and the stack is too small for that. */
function jsonOf(object: FilterInput): Uint8Array | undefined {
  try {
    return object.json();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function versionOf({ uid, resourceVersion }: FilterInput): string {
  return uid === '' || resourceVersion === '' ? '' : `${uid} ${resourceVersion}`;
}

function patchOf(expression: string, limits: BriefLimits, elsewhere: Elsewhere) {
  const program = compileProgram(expression, limits);
  return async (object: unknown): Promise<readonly unknown[]> => {
    try {
      return outputsOf(program, object);
    } catch (error) {
      if (!(error instanceof JqLimitError || error instanceof JqDepthError)) throw error;
    }
    const json = Buffer.from(JSON.stringify(object));
    const { result, error } = await elsewhere.run({ type: 'patch', expression, json, tenant: '', version: '' });
    if (error !== undefined) throw new FilterError(error);
    const outputs: unknown = JSON.parse(result);
    return Array.isArray(outputs) ? outputs : [];
  };
}
