import { variable, type Reading, type ValueOf, type Variable, type VariableOptions } from './variable.ts';

export interface ListOptions<T> extends Omit<VariableOptions<readonly T[]>, 'default'> {
  /** The text when it is not set, such as `a,b`. */
  readonly default?: string;
  /** Between two elements; default a comma. Spaces around an element do not count. */
  readonly separator?: string;
  /** The fewest and the most elements. */
  readonly min?: number;
  readonly max?: number;
}

const MAX_ELEMENTS = 1000;

/** Several values, such as `a, b`; empty elements do not count. */
export function list<T, const O extends ListOptions<T>>(
  element: Variable<T>,
  options?: O,
): Variable<ValueOf<readonly T[], O>>;
export function list<T>(element: Variable<T>, options: ListOptions<T> = {}): Variable<readonly T[]> {
  const read = (given: string): Reading<readonly T[]> => readElements(element, given, options);
  const expected = `${listWords(options)}, each ${element.expected}`;
  return variable(options, { expected, isSecret: element.isSecret, read, default: options.default });
}

function readElements<T>(element: Variable<T>, given: string, options: ListOptions<T>): Reading<readonly T[]> {
  const { separator = ',', min = 0, max = MAX_ELEMENTS } = options;
  const parts = given.split(separator, MAX_ELEMENTS + 1).flatMap((part) => part.trim() || []);
  if (parts.length < min || parts.length > max) return { problem: `it has ${parts.length} elements` };
  const readings = parts.map((part) => element.read(part));
  const wrong = readings.findIndex((reading) => 'problem' in reading);
  if (wrong !== -1) return { problem: `the element ${wrong + 1} is not one` };
  return { value: readings.flatMap((reading) => ('value' in reading ? [reading.value] : [])) };
}

function listWords({ separator = ',', min, max }: ListOptions<unknown>): string {
  const between = separator === ',' ? 'commas' : JSON.stringify(separator);
  const least = min === undefined ? '' : `, at least ${min}`;
  const most = max === undefined ? '' : `, at most ${max}`;
  return `a list with ${between} between its elements${least}${most}`;
}
