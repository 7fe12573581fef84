import { durationText } from '../lib/duration-text.ts';
import { unreachable } from '../lib/unreachable.ts';
import type { CalendarFields, Crontab } from './crontab.ts';

// More times of day than this are described by their minutes and hours.
const MAX_TIMES = 6;
const MINUTES = 60;
const HOURS = 24;
const DAYS = 31;
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** Describes a crontab in words, such as `at 02:30 on Monday to Friday`, without its time zone. */
export function crontabWords({ plan }: Crontab): string {
  switch (plan.type) {
    case 'every':
      return `every ${durationText(plan.intervalMs)}, counted from the start of the operator`;
    case 'calendar': {
      const [first] = plan.alternatives;
      // Alternatives differ only in their days.
      const days = plan.alternatives.map(dayWords).filter((words) => words !== '');
      const time = timeWords(first);
      if (days.length > 0) return `${time} ${days.join(' or ')}`;
      return /^at \d\d:/.test(time) ? `${time} every day` : time;
    }
    default:
      return unreachable(plan);
  }
}

function timeWords(fields: CalendarFields): string {
  const { seconds, minutes, hours } = fields;
  if (seconds.length * minutes.length * hours.length <= MAX_TIMES) return `at ${list(timesOfDay(fields))}`;
  if (seconds.length === 1 && seconds[0] === 0) return minuteWords(fields);
  if (minutes.length === MINUTES && hours.length === HOURS) return unitWords('second', seconds, ' of every minute');
  const which = minutes.length === MINUTES ? 'every minute' : counted('minute', minutes);
  return `${unitWords('second', seconds, '')} of ${which} of ${hourWords(hours)}`;
}

function timesOfDay({ seconds, minutes, hours }: CalendarFields): readonly string[] {
  return hours.flatMap((hour) =>
    minutes.flatMap((minute) =>
      seconds.map((second) => `${two(hour)}:${two(minute)}${second === 0 ? '' : `:${two(second)}`}`),
    ),
  );
}

function minuteWords({ minutes, hours }: CalendarFields): string {
  const [minute = 0] = minutes;
  if (minutes.length > 1) {
    if (hours.length === HOURS) return unitWords('minute', minutes, ' of every hour');
    const step = stepOf(minutes, MINUTES);
    return step === undefined
      ? `at ${counted('minute', minutes)} of ${hourWords(hours)}`
      : `${everyWords('minute', step, minutes)} in ${hourWords(hours)}`;
  }
  const at = minute === 0 ? '' : ` at minute ${minute}`;
  if (hours.length === HOURS) return `every hour${at}`;
  const step = stepOf(hours, HOURS);
  if (step === undefined) return `at minute ${minute} of ${hourWords(hours)}`;
  return `every ${step} hours${hours[0] === 0 ? '' : ` from hour ${hours[0]}`}${at}`;
}

/** `every 5 minutes`, or `at minutes 3 and 17 of every hour`. */
function unitWords(unit: 'second' | 'minute', values: readonly number[], of: string): string {
  const step = stepOf(values, MINUTES);
  return step === undefined ? `at ${counted(unit, values)}${of}` : everyWords(unit, step, values);
}

function everyWords(unit: string, step: number, [first = 0]: readonly number[]): string {
  const every = step === 1 ? `every ${unit}` : `every ${step} ${unit}s`;
  return first === 0 ? every : `${every} from ${unit} ${first}`;
}

function hourWords(hours: readonly number[]): string {
  return hours.length === HOURS ? 'every hour' : `the ${counted('hour', hours)}`;
}

function dayWords({ daysOfMonth, months, daysOfWeek }: CalendarFields): string {
  const isAnyMonth = months.length === MONTHS.length;
  const month = list(runs(months.map((value) => value - 1)).map((run) => rangeOf(run, (value) => MONTHS[value] ?? '')));
  const weekday = weekdayWords(daysOfWeek);
  if (daysOfMonth.length === DAYS) {
    const where = isAnyMonth ? '' : `in ${month}`;
    return [weekday === '' ? '' : `on ${weekday}`, where].filter((words) => words !== '').join(' ');
  }
  const only = weekday === '' ? '' : ` that ${daysOfMonth.length === 1 ? 'is' : 'are'} ${weekday}`;
  if (daysOfMonth.length === 1 && months.length === 1) return `on ${daysOfMonth[0]} ${month}${only}`;
  return `on ${counted('day', daysOfMonth)} of ${isAnyMonth ? 'the month' : month}${only}`;
}

/** Describes the weekdays; empty for every day. */
function weekdayWords(daysOfWeek: readonly number[]): string {
  if (daysOfWeek.length === WEEKDAYS.length) return '';
  // The week starts on Monday, so that the weekend is one range.
  const days = daysOfWeek.map((day) => (day === 0 ? WEEKDAYS.length : day)).toSorted((a, b) => a - b);
  return list(runs(days).map((run) => rangeOf(run, (day) => WEEKDAYS[day % WEEKDAYS.length] ?? '')));
}

/** Returns the step of values that repeat evenly across spans; undefined when they do not. */
function stepOf(values: readonly number[], span: number): number | undefined {
  const [first = 0, second] = values;
  if (second === undefined) return undefined;
  const step = second - first;
  const isEven = values.every((value, index) => value === first + index * step);
  return isEven && values.length * step === span ? step : undefined;
}

/** `minute 5`, `minutes 0 to 4 and 30`. */
function counted(unit: string, values: readonly number[]): string {
  return `${unit}${values.length === 1 ? '' : 's'} ${list(runs(values).map((run) => rangeOf(run, String)))}`;
}

/** Groups three or more consecutive values into one run. */
function runs(values: readonly number[]): readonly (readonly number[])[] {
  const all: number[][] = [];
  for (const value of values) {
    const last = all.at(-1);
    if (last !== undefined && last.at(-1) === value - 1) last.push(value);
    else all.push([value]);
  }
  return all.flatMap((run) => (run.length < 3 ? run.map((value) => [value]) : [run]));
}

function rangeOf(run: readonly number[], name: (value: number) => string): string {
  const [first = 0] = run;
  return run.length === 1 ? name(first) : `${name(first)} to ${name(run.at(-1) ?? first)}`;
}

function list(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
