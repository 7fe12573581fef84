import { meter } from './meter.ts';

/** Whether a broken-down time is in UTC or in the time zone of the process. */
export type TimeZone = 'UTC' | 'local';

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
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
const DAY_MS = 86_400_000;

/** Year, month from 0, day, hour, minute, second with fraction, weekday from Sunday, day of the year from 0. */
export function brokenDownTime(seconds: number, zone: TimeZone): readonly number[] {
  const whole = Math.floor(seconds);
  const date = new Date(whole * 1000);
  // Read as UTC, the shifted date has the local fields.
  const shown = zone === 'UTC' ? date : new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  const year = shown.getUTCFullYear();
  return [
    year,
    shown.getUTCMonth(),
    shown.getUTCDate(),
    shown.getUTCHours(),
    shown.getUTCMinutes(),
    shown.getUTCSeconds() + (seconds - whole),
    shown.getUTCDay(),
    Math.floor((shown.getTime() - utc(year, 0, 1)) / DAY_MS),
  ];
}

/**
 * The broken-down time that an array of numbers stands for: a missing year is 1900, other missing parts are 0, parts
 * out of range carry over (February 30 is March 1), and the weekday and the day of the year are those of the date.
 */
export function completeTime(given: readonly number[]): readonly number[] {
  const [year = 1900, month = 0, day = 0, hour = 0, minute = 0, second = 0] = given.map(Math.trunc);
  return brokenDownTime(secondsOf([year, month, day, hour, minute, second]), 'UTC');
}

/** Seconds since 1970 of a broken-down time in UTC. */
export function secondsOf([year = 0, month = 0, day = 1, hour = 0, minute = 0, second = 0]: readonly number[]): number {
  return Math.floor(utc(year, month, day) / 1000) + hour * 3600 + minute * 60 + Math.floor(second);
}

/** Formats a broken-down time with a strftime format. */
export function formatTime(time: readonly number[], format: string, zone: TimeZone): string {
  meter().spend(format.length);
  return format.replace(/%[-_^#0]?([a-zA-Z%])/g, (directive, letter: string) => {
    const expanded = COMPOSITES[letter];
    if (expanded !== undefined) return formatTime(time, expanded, zone);
    return FIELDS[letter]?.(time, zone) ?? directive;
  });
}

/** Parses a broken-down time with a strptime format; undefined if the text does not match. */
export function parseTime(text: string, format: string): readonly number[] | undefined {
  const read: ParsedTime = {
    year: 1900,
    month: 0,
    day: 0,
    hour: 0,
    minute: 0,
    second: 0,
    isAfternoon: undefined,
    epoch: undefined,
  };
  const rest = readFormat(text, expand(format), read);
  if (rest !== '') return undefined;
  if (read.epoch !== undefined) return brokenDownTime(read.epoch, 'UTC');
  if (read.isAfternoon !== undefined) read.hour = (read.hour % 12) + (read.isAfternoon ? 12 : 0);
  const { year, month, day, hour, minute, second } = read;
  const date = utc(year, month, day);
  return [
    year,
    month,
    day,
    hour,
    minute,
    second,
    new Date(date).getUTCDay(),
    Math.floor((date - utc(year, 0, 1)) / DAY_MS),
  ];
}

const COMPOSITES: Readonly<Record<string, string>> = {
  c: '%a %b %e %H:%M:%S %Y',
  D: '%m/%d/%y',
  F: '%Y-%m-%d',
  r: '%I:%M:%S %p',
  R: '%H:%M',
  T: '%H:%M:%S',
  x: '%m/%d/%y',
  X: '%H:%M:%S',
};

type Field = (time: readonly number[], zone: TimeZone) => string;

const FIELDS: Readonly<Record<string, Field>> = {
  a: (time) => (DAYS[part(time, 6)] ?? '?').slice(0, 3),
  A: (time) => DAYS[part(time, 6)] ?? '?',
  b: (time) => (MONTHS[part(time, 1)] ?? '?').slice(0, 3),
  B: (time) => MONTHS[part(time, 1)] ?? '?',
  C: (time) => pad(Math.floor(part(time, 0) / 100), 2),
  d: (time) => pad(part(time, 2), 2),
  e: (time) => String(part(time, 2)).padStart(2),
  g: (time) => pad(isoWeek(time).year % 100, 2),
  G: (time) => String(isoWeek(time).year),
  h: (time) => (MONTHS[part(time, 1)] ?? '?').slice(0, 3),
  H: (time) => pad(part(time, 3), 2),
  I: (time) => pad(part(time, 3) % 12 || 12, 2),
  j: (time) => pad(part(time, 7) + 1, 3),
  k: (time) => String(part(time, 3)).padStart(2),
  l: (time) => String(part(time, 3) % 12 || 12).padStart(2),
  m: (time) => pad(part(time, 1) + 1, 2),
  M: (time) => pad(part(time, 4), 2),
  n: () => '\n',
  p: (time) => (part(time, 3) < 12 ? 'AM' : 'PM'),
  P: (time) => (part(time, 3) < 12 ? 'am' : 'pm'),
  s: (time, zone) => String(secondsOf(time) - offsetMinutes(time, zone) * 60),
  S: (time) => pad(Math.floor(part(time, 5)), 2),
  t: () => '\t',
  u: (time) => String(part(time, 6) || 7),
  U: (time) => pad(Math.floor((part(time, 7) + 7 - part(time, 6)) / 7), 2),
  V: (time) => pad(isoWeek(time).week, 2),
  w: (time) => String(part(time, 6)),
  W: (time) => pad(Math.floor((part(time, 7) + 7 - ((part(time, 6) + 6) % 7)) / 7), 2),
  y: (time) => pad(part(time, 0) % 100, 2),
  Y: (time) => String(part(time, 0)),
  z: (time, zone) => offsetText(offsetMinutes(time, zone)),
  Z: (time, zone) => zoneName(time, zone),
  '%': () => '%',
};

function part(time: readonly number[], index: number): number {
  return time[index] ?? 0;
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0');
}

// Date.UTC reads the years 0 to 99 as 1900 to 1999.
function utc(year: number, month: number, day: number): number {
  const date = new Date(Date.UTC(2000, month, day));
  date.setUTCFullYear(year, month, day);
  return date.getTime();
}

function isoWeek(time: readonly number[]): { readonly year: number; readonly week: number } {
  const weekday = (part(time, 6) + 6) % 7;
  const thursday = new Date(utc(part(time, 0), part(time, 1), part(time, 2)) + (3 - weekday) * DAY_MS);
  const year = thursday.getUTCFullYear();
  return { year, week: Math.floor((thursday.getTime() - utc(year, 0, 1)) / DAY_MS / 7) + 1 };
}

function localDate([year = 0, month = 0, day = 1, hour = 0, minute = 0, second = 0]: readonly number[]): Date {
  return new Date(year, month, day, hour, minute, Math.floor(second));
}

function offsetMinutes(time: readonly number[], zone: TimeZone): number {
  return zone === 'UTC' ? 0 : -localDate(time).getTimezoneOffset();
}

function offsetText(minutes: number): string {
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${pad(Math.floor(size / 60), 2)}${pad(size % 60, 2)}`;
}

function zoneName(time: readonly number[], zone: TimeZone): string {
  if (zone === 'UTC') return 'UTC';
  // Formatting the zone takes some fifty microseconds.
  meter().spend(500);
  const shown = new Intl.DateTimeFormat('en-US', { timeZoneName: 'short' }).formatToParts(localDate(time));
  return shown.find(({ type }) => type === 'timeZoneName')?.value ?? 'UTC';
}

interface ParsedTime {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  isAfternoon: boolean | undefined;
  epoch: number | undefined;
}

type Reader = readonly [pattern: RegExp, store: (text: string, into: ParsedTime) => void];

const READERS: Readonly<Record<string, Reader>> = {
  a: [/^\s*(?:sun|mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?)(?:day)?/i, () => {}],
  b: [/^\s*[a-z]{3,9}/i, (text, into) => (into.month = monthNumber(text))],
  d: [/^\s*\d{1,2}/, (text, into) => (into.day = Number(text))],
  H: [/^\s*\d{1,2}/, (text, into) => (into.hour = Number(text))],
  I: [/^\s*\d{1,2}/, (text, into) => (into.hour = Number(text))],
  j: [
    /^\s*\d{1,3}/,
    (text, into) => {
      into.month = 0;
      into.day = Number(text);
    },
  ],
  m: [/^\s*\d{1,2}/, (text, into) => (into.month = Number(text) - 1)],
  M: [/^\s*\d{1,2}/, (text, into) => (into.minute = Number(text))],
  n: [/^\s*/, () => {}],
  p: [/^\s*[ap]m/i, (text, into) => (into.isAfternoon = /p/i.test(text))],
  s: [/^\s*-?\d+/, (text, into) => (into.epoch = Number(text))],
  S: [/^\s*\d{1,2}/, (text, into) => (into.second = Number(text))],
  u: [/^\s*[1-7]/, () => {}],
  U: [/^\s*\d{1,2}/, () => {}],
  y: [/^\s*\d{1,2}/, (text, into) => (into.year = Number(text) + (Number(text) < 69 ? 2000 : 1900))],
  Y: [/^\s*-?\d{1,4}/, (text, into) => (into.year = Number(text))],
  // The offset is read and not applied: the fields stay as written, as they do in jq.
  z: [/^\s*(?:Z|[-+]\d{2}:?(?:\d{2})?)/, () => {}],
  Z: [/^\s*[A-Za-z]+/, () => {}],
  '%': [/^%/, () => {}],
};

const SAME_READER: Readonly<Record<string, string>> = {
  A: 'a',
  B: 'b',
  h: 'b',
  e: 'd',
  k: 'H',
  l: 'I',
  t: 'n',
  w: 'u',
  W: 'U',
  V: 'U',
};

function expand(format: string): string {
  return format.replace(/%([a-zA-Z])/g, (directive, letter: string) => {
    const composite = COMPOSITES[letter];
    return composite === undefined ? directive : expand(composite);
  });
}

/** Reads `text` into `into` and returns the rest of the text, or undefined if it does not match. */
function readFormat(text: string, format: string, into: ParsedTime): string | undefined {
  let rest = text;
  meter().text(text.length);
  for (const [piece] of format.matchAll(/%[a-zA-Z%]|\s+|[^]/g)) {
    meter().spend(16);
    const pattern = piece.startsWith('%') ? readerOf(piece.slice(1))?.[0] : literalPattern(piece);
    const found = pattern?.exec(rest)?.[0];
    if (found === undefined) return undefined;
    if (piece.startsWith('%')) readerOf(piece.slice(1))?.[1](found.trim(), into);
    if (!isInRange(into)) return undefined;
    rest = rest.slice(found.length);
  }
  return rest;
}

function readerOf(letter: string): Reader | undefined {
  return READERS[SAME_READER[letter] ?? letter];
}

function literalPattern(piece: string): RegExp {
  return /^\s/.test(piece) ? /^\s*/ : new RegExp(`^${piece.replace(/\W/g, String.raw`\$&`)}`);
}

function isInRange({ month, day, hour, minute, second }: ParsedTime): boolean {
  return month >= 0 && month <= 11 && day <= 366 && hour <= 23 && minute <= 59 && second <= 61;
}

function monthNumber(text: string): number {
  return MONTHS.findIndex((month) => month.slice(0, 3).toLowerCase() === text.slice(0, 3).toLowerCase());
}
