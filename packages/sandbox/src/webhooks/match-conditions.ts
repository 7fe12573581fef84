import type { Environment } from '@marcbachmann/cel-js';
import { textAt } from '../json-fields.ts';
import { isJsonArray, isJsonObject, type JsonArray, type JsonObject, type JsonValue } from '../json.ts';
import { withTimeLimit } from '../time-limit.ts';
import { celLibrary } from './cel-library.ts';

/** The `matchConditions` of a webhook, ready to be evaluated. */
export type Conditions = readonly { readonly expression: string; readonly program: Program }[];

type Program = (values: { readonly [name: string]: unknown }) => unknown;

/** What the conditions are about. */
export interface ConditionVariables {
  readonly object: JsonObject | undefined;
  readonly oldObject: JsonObject | undefined;
  readonly request: JsonObject;
}

/** Whether all conditions hold; or the errors, if none is false and some could not be evaluated. */
export type ConditionsResult =
  | { readonly type: 'matched' }
  | { readonly type: 'unmatched' }
  | { readonly type: 'errors'; readonly message: string };

let environment: Environment | undefined;

/** The variables that an expression can name. */
function celEnvironment(): Environment {
  const { Environment: CelEnvironment } = celLibrary();
  environment ??= new CelEnvironment({ enableOptionalTypes: true })
    .registerVariable('object', 'dyn')
    .registerVariable('oldObject', 'dyn')
    .registerVariable('request', 'dyn')
    .registerVariable('namespaceObject', 'dyn');
  return environment;
}

/** An evaluation may take so long: an expression can have a regular expression that backtracks. */
const LIMIT_MS = 1000;

/** Why an expression cannot be a match condition; undefined if it can. */
export function conditionProblem(expression: string): string | undefined {
  try {
    const { valid, type, error } = celEnvironment().parse(expression).check();
    if (!valid) return `compilation failed: ${error?.message ?? 'unknown error'}${hint(expression)}`;
    return type === 'bool' ? undefined : `must evaluate to bool but got ${type ?? 'unknown'}`;
  } catch (error) {
    return `compilation failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function hint(expression: string): string {
  return /\bauthorizer\b/.test(expression) ? ' (the sandbox has no authorizer in match conditions)' : '';
}

/** Compiles the conditions of a stored configuration. */
export function compiledConditions(conditions: JsonArray): Conditions {
  return conditions.map((condition) => {
    const expression = textAt(condition, 'expression');
    return { expression, program: compiled(expression) };
  });
}

/** One that does not compile can only be in a state that another sandbox has written. */
function compiled(expression: string): Program {
  try {
    return celEnvironment().parse(expression);
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** Evaluates the conditions. One that is false decides, whatever the others come to. */
export function evaluateConditions(conditions: Conditions, variables: ConditionVariables): ConditionsResult {
  if (conditions.length === 0) return { type: 'matched' };
  const values: { readonly [name: string]: unknown } = {
    object: celValue(variables.object ?? null),
    oldObject: celValue(variables.oldObject ?? null),
    request: celValue(variables.request),
    // The server declares it and leaves it empty here.
    namespaceObject: {},
  };
  const problems: string[] = [];
  for (const { expression, program } of conditions) {
    const result = evaluated(program, values);
    if (result === false) return { type: 'unmatched' };
    if (result !== true) problems.push(`expression '${expression}' resulted in error: ${result}`);
  }
  if (problems.length === 0) return { type: 'matched' };
  return { type: 'errors', message: problems.length === 1 ? problems.join('') : `[${problems.join(', ')}]` };
}

function evaluated(program: Program, values: { readonly [name: string]: unknown }): boolean | string {
  try {
    const value: unknown = withTimeLimit('the evaluation of a match condition', LIMIT_MS, () => {
      const result: unknown = program({ ...values });
      return result;
    });
    return typeof value === 'boolean' ? value : `expected a bool, got ${typeof value}`;
  } catch (error) {
    return problemOf(error);
  }
}

function problemOf(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  const index = /index out of bounds, index (-?\d+)/.exec(line)?.[1];
  return index === undefined ? line.replace(/^No such key/, 'no such key') : `index out of bounds: ${index}`;
}

/** Whole numbers are integers in CEL. */
function celValue(value: JsonValue): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (isJsonArray(value)) return value.map(celValue);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, celValue(inner)]));
}
