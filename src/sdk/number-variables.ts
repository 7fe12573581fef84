import { defaultText, variable, type Reading, type ValueOf, type Variable, type VariableOptions } from './variable.ts';

export interface NumberOptions extends VariableOptions<number> {
  readonly min?: number;
  readonly max?: number;
}

/** A whole number. */
export function integer<const O extends NumberOptions>(options?: O): Variable<ValueOf<number, O>>;
export function integer(options: NumberOptions = {}): Variable<number> {
  const read = within(/^[+-]?\d{1,15}$/, options);
  const expected = `a whole number${range(options)}`;
  return variable(options, { expected, read, default: defaultText(options.default) });
}

/** A number, such as `0.5`. */
export function number<const O extends NumberOptions>(options?: O): Variable<ValueOf<number, O>>;
export function number(options: NumberOptions = {}): Variable<number> {
  const read = within(/^[+-]?(?:\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})$/, options);
  return variable(options, { expected: `a number${range(options)}`, read, default: defaultText(options.default) });
}

const TRUE = ['true', 'yes', '1'];
const FALSE = ['false', 'no', '0'];

/** `true`, `yes` or `1`, and `false`, `no` or `0`. */
export function boolean<const O extends VariableOptions<boolean>>(options?: O): Variable<ValueOf<boolean, O>>;
export function boolean(options: VariableOptions<boolean> = {}): Variable<boolean> {
  const read = (given: string): Reading<boolean> => {
    if (TRUE.includes(given)) return { value: true };
    return FALSE.includes(given) ? { value: false } : { problem: '' };
  };
  return variable(options, { expected: 'true or false', read, default: defaultText(options.default) });
}

export interface DurationOptions extends Omit<VariableOptions<number>, 'default'> {
  /** Such as `5m`. */
  readonly default?: string;
  readonly min?: string;
  readonly max?: string;
}

/** A duration such as `90s`, `5m` or `1h30m`; the value is in milliseconds. */
export function duration<const O extends DurationOptions>(options?: O): Variable<ValueOf<number, O>>;
export function duration({ default: byDefault, min, max, ...options }: DurationOptions = {}): Variable<number> {
  const limits = { ...limit('min', min), ...limit('max', max) };
  const words = { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
  const read = (given: string): Reading<number> => {
    const spanMs = spanOf(given);
    return spanMs !== undefined && isWithin(spanMs, limits) ? { value: spanMs } : { problem: '' };
  };
  const expected = `a duration such as 90s, 5m or 1h30m${range(words)}`;
  return variable(options, { expected, read, default: byDefault });
}

function limit(name: 'min' | 'max', given: string | undefined): { readonly min?: number; readonly max?: number } {
  if (given === undefined) return {};
  const spanMs = spanOf(given);
  if (spanMs === undefined) throw new Error(`${name}: got ${JSON.stringify(given)}, expected a duration such as 5m`);
  return { [name]: spanMs };
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

function spanOf(given: string): number | undefined {
  if (given === '0') return 0;
  if (!/^(?:\d{1,9}(?:\.\d{1,3})?(?:ms|s|m|h)){1,4}$/.test(given)) return undefined;
  const parts = given.matchAll(/([\d.]+)(ms|s|m|h)/g);
  return parts.reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (UNIT_MS[unit] ?? 0), 0);
}

function within(form: RegExp, limits: NumberOptions): (given: string) => Reading<number> {
  return (given) => {
    const value = Number(given);
    return form.test(given) && isWithin(value, limits) ? { value } : { problem: '' };
  };
}

function isWithin(value: number, { min = -Infinity, max = Infinity }: Pick<NumberOptions, 'min' | 'max'>): boolean {
  return value >= min && value <= max;
}

interface Range {
  readonly min?: number | string;
  readonly max?: number | string;
}

function range({ min, max }: Range): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  if (min !== undefined) return `, at least ${min}`;
  return max === undefined ? '' : `, at most ${max}`;
}
