import { brokenDownTime, completeTime, formatTime, parseTime, secondsOf, type TimeZone } from './time-format.ts';
import { numberOf } from './number-literal.ts';
import type { NativeTable } from './native.ts';
import { raise } from './signals.ts';
import { isArray, type JsonValue } from './value.ts';

/**
 * Builtins on dates: seconds since 1970, and broken-down times (year, month from 0, day, hour, minute, second and
 * more).
 */
export const DATE_BUILTINS: NativeTable = {
  'now/0': () => Date.now() / 1000,
  'gmtime/0': (input) => brokenDownTime(seconds(input, 'gmtime'), 'UTC'),
  'localtime/0': (input) => brokenDownTime(seconds(input, 'localtime'), 'local'),
  'mktime/0': (input) => secondsOf(parts(input, 'mktime')),
  'strftime/1': (input, format) => format1(input, format, 'UTC'),
  'strflocaltime/1': (input, format) => format1(input, format, 'local'),
  'strptime/1': (input, format) => {
    if (typeof input !== 'string' || typeof format !== 'string') {
      return raise('strptime/1 requires string inputs and arguments');
    }
    return parseTime(input, format) ?? raise(`date "${input}" does not match format "${format}"`);
  },
};

function seconds(input: JsonValue, name: string): number {
  return typeof input === 'number' ? input : raise(`${name}() requires numeric inputs`);
}

function parts(input: JsonValue, name: string): readonly number[] {
  const isForMktime = name === 'mktime';
  if (!isArray(input))
    return raise(isForMktime ? 'mktime requires array inputs' : `${name}/1 requires parsed datetime inputs`);
  const numbers = input.map(numberOf).filter((part) => part !== undefined);
  if (numbers.length < input.length) raise(`${name}${isForMktime ? '' : '/1'} requires parsed datetime inputs`);
  return completeTime(numbers);
}

function format1(input: JsonValue, format: JsonValue, zone: TimeZone): JsonValue {
  const name = zone === 'UTC' ? 'strftime' : 'strflocaltime';
  const time = typeof input === 'number' ? brokenDownTime(input, zone) : parts(input, name);
  if (typeof format !== 'string') return raise(`${name}/1 requires a string format`);
  return formatTime(time, format, zone);
}
