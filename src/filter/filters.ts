import { JqDepthError, JqLimitError } from '@hooklet/jq';
import { FilterError } from '../errors.ts';
import type { Filter } from '../hook/binding.ts';
import { hasLongNumber, parseExactJson } from '../lib/exact-json.ts';
import { BriefLimits } from './brief-limits.ts';
import { failedOutcome, type BriefFilter, type CompiledFilter, type FilterInput } from './compiled-filter.ts';
import { checkExpression } from './filter.ts';
import { FilterProcess } from './filter-process.ts';
import { compileBriefJq, compileProgram, outputsText, parseFilterInput } from './jq-filter.ts';
import { compileBriefJsonPath } from './json-path.ts';

/**
 * The filters of an operator. Every object of every binding with a filter passes through here, so a filter must neither
 * block the event loop nor run without end. A filter is first tried in this process with brief limits, which is enough
 * for nearly all; if they are exceeded, the same work is done from the beginning in the filter process.
 *
 * `run-operator.ts` opens one instance for the process; the monitors compile their filters once and apply them to each
 * change; JQPatch compiles its expression with `compilePatch`.
 *
 * What must hold: `apply` never throws and its promise never rejects because of an object; a failure is an outcome with
 * an `error`. `end` must be called at shutdown, because it kills the filter process.
 */
export interface Filters {
  /** Compiles the filter of a binding; throws `FilterError` with the position of a syntax error. */
  compile(filter: Filter): CompiledFilter;
  /**
   * Compiles the expression of a JQPatch to a function that returns all outputs for an object, and rejects with the
   * error of the program; throws `FilterError` for a syntax error.
   */
  compilePatch(expression: string): (object: unknown) => Promise<readonly unknown[]>;
  /** How many objects wait for the filter process, or are in it. */
  readonly pending: number;
  /** Kills the filter process, with the work that it does. */
  end(): void;
}

/** Opens the filters; the filter process is started when it is first needed. */
export function openFilters(filterProcess: Pick<FilterProcess, 'run' | 'end'> = new FilterProcess()): Filters {
  const limits = new BriefLimits();
  let pending = 0;
  const counted: RunFilter = {
    run: async (request) => {
      pending += 1;
      return filterProcess.run(request).finally(() => (pending -= 1));
    },
  };
  return {
    compile: (filter) => {
      checkExpression(filter);
      return bounded(filter, limits, counted);
    },
    compilePatch: (expression) => patchOf(expression, limits, counted),
    get pending() {
      return pending;
    },
    end: () => filterProcess.end(),
  };
}

type RunFilter = Pick<FilterProcess, 'run'>;

function bounded({ type, expression }: Filter, limits: BriefLimits, filterProcess: RunFilter): CompiledFilter {
  const brief: BriefFilter = type === 'jq' ? compileBriefJq(expression, limits) : compileBriefJsonPath(expression);
  return {
    apply: (object) => {
      const outcome = brief.apply(object);
      if (outcome !== undefined) return outcome;
      limits.wasted(brief.elapsedMs());
      const json = jsonOf(object);
      if (json === undefined) return failedOutcome('the object is nested too deeply');
      return filterProcess.run({ type, expression, json, tenant: object.namespace, version: versionOf(object) });
    },
  };
}

/** The JSON text of the object; `undefined` when the object is nested too deeply to be serialized. */
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

function patchOf(expression: string, limits: BriefLimits, filterProcess: RunFilter) {
  const program = compileProgram(expression, limits);
  return async (object: unknown): Promise<readonly unknown[]> => {
    const text = JSON.stringify(object);
    try {
      return outputsFrom(outputsText(program, hasLongNumber(text) ? parseFilterInput(text) : object));
    } catch (error) {
      if (!(error instanceof JqLimitError || error instanceof JqDepthError)) throw error;
    }
    const json = Buffer.from(text);
    const { result, error } = await filterProcess.run({ type: 'patch', expression, json, tenant: '', version: '' });
    if (error !== undefined) throw new FilterError(error);
    return outputsFrom(result);
  };
}

/** The outputs in the JSON text of an array, with all digits of their numbers. */
function outputsFrom(result: string): readonly unknown[] {
  const outputs = parseExactJson(result);
  return Array.isArray(outputs) ? outputs : [];
}
