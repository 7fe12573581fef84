import { describe, expect, it } from 'vitest';
import { parseCrontab, type CalendarFields } from '../../src/crontab/crontab.ts';

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

const always: CalendarFields = {
  seconds: [0],
  minutes: range(0, 59),
  hours: range(0, 23),
  daysOfMonth: range(1, 31),
  months: range(1, 12),
  daysOfWeek: range(0, 6),
};

function alternativesOf(text: string): readonly CalendarFields[] {
  const { plan } = parseCrontab(text);
  if (plan.type !== 'calendar') throw new Error(`${text} is no calendar`);
  return plan.alternatives;
}

describe('parseCrontab', () => {
  it.each<[string, Partial<CalendarFields>]>([
    ['* * * * *', {}],
    ['? ? ? ? ?', {}],
    ['5 4 * * *', { minutes: [5], hours: [4] }],
    ['*/15 * * * * *', { seconds: [0, 15, 30, 45] }],
    ['10-20/5 * * * *', { minutes: [10, 15, 20] }],
    ['50/4 * * * *', { minutes: [50, 54, 58] }],
    ['*/60 * * * *', { minutes: [0] }],
    ['30-31/5 * * * *', { minutes: [30] }],
    ['7,3,5-6,3 * * * *', { minutes: [3, 5, 6, 7] }],
    ['0 0 1 jan *', { minutes: [0], hours: [0], daysOfMonth: [1], months: [1] }],
    ['0 0 * FEB-apr MON-Fri', { minutes: [0], hours: [0], months: [2, 3, 4], daysOfWeek: [1, 2, 3, 4, 5] }],
    ['0 0 * * 0,6', { minutes: [0], hours: [0], daysOfWeek: [0, 6] }],
    ['@hourly', { minutes: [0] }],
    ['@daily', { minutes: [0], hours: [0] }],
    ['@midnight', { minutes: [0], hours: [0] }],
    ['@weekly', { minutes: [0], hours: [0], daysOfWeek: [0] }],
    ['@monthly', { minutes: [0], hours: [0], daysOfMonth: [1] }],
    ['@yearly', { minutes: [0], hours: [0], daysOfMonth: [1], months: [1] }],
    ['@annually', { minutes: [0], hours: [0], daysOfMonth: [1], months: [1] }],
    ['  0   0\t*  * *  ', { minutes: [0], hours: [0] }],
  ])('reads %j', (text, expected) => {
    expect(alternativesOf(text)).toEqual([{ ...always, ...expected }]);
  });

  it('lets one day field be enough when neither has a star', () => {
    expect(alternativesOf('0 0 13 * 5')).toEqual([
      { ...always, minutes: [0], hours: [0], daysOfWeek: [5] },
      { ...always, minutes: [0], hours: [0], daysOfMonth: [13] },
    ]);
  });

  it('asks for both day fields when one has a star, stepped or not', () => {
    expect(alternativesOf('0 0 */10 * 5')).toEqual([
      { ...always, minutes: [0], hours: [0], daysOfMonth: [1, 11, 21, 31], daysOfWeek: [5] },
    ]);
  });

  it('keeps the weekdays when the day of the month never comes', () => {
    expect(alternativesOf('0 0 31 2 5')).toEqual([
      { ...always, minutes: [0], hours: [0], months: [2], daysOfWeek: [5] },
    ]);
  });

  it.each([
    ['TZ=Europe/Berlin 0 0 * * *', 'Europe/Berlin'],
    ['CRON_TZ=Asia/Tokyo @daily', 'Asia/Tokyo'],
    ['TZ=UTC * * * * *', 'UTC'],
    ['TZ= * * * * *', 'UTC'],
    ['TZ=Local * * * * *', undefined],
    ['* * * * *', undefined],
  ])('takes the zone of %j', (text, timeZone) => {
    const crontab = parseCrontab(text);

    expect(crontab.timeZone).toBe(timeZone);
    expect(crontab.source).toBe(text);
  });

  it.each([
    ['@every 90s', 90_000],
    ['@every 1h30m', 5_400_000],
    ['@every 1500ms', 1000],
    ['@every 10ms', 1000],
    ['TZ=Asia/Tokyo @every 5m', 300_000],
  ])('rounds %s to whole seconds', (text, intervalMs) => {
    expect(parseCrontab(text).plan).toEqual({ type: 'every', intervalMs });
  });

  it.each(['CRON_TZ=UTC 0 5 * * *', '@every  5m', '@every 0s', '*/90 * * * *', '+5 * * * *'])('takes %j', (text) => {
    expect(parseCrontab(text).source).toBe(text);
  });

  it.each([
    [', * * * *', 'Failed to parse int from ,: the list is empty'],
    ['@every 1000000h', 'Failed to parse duration @every 1000000h'],
    ['', 'Expected 5 or 6 fields, found 0: '],
    ['* * *', 'Expected 5 or 6 fields, found 3: * * *'],
    ['* * * * * * *', 'Expected 5 or 6 fields, found 7: * * * * * * *'],
    ['60 * * * *', 'End of range (60) above maximum (59): 60'],
    ['* 5-24 * * *', 'End of range (24) above maximum (23): 5-24'],
    ['* * 0 * *', 'Beginning of range (0) below minimum (1): 0'],
    ['* * * 13 *', 'End of range (13) above maximum (12): 13'],
    ['* * * * 7', 'End of range (7) above maximum (6): 7'],
    ['22-2 * * * *', 'Beginning of range (22) beyond end of range (2): 22-2'],
    ['1-2-3 * * * *', 'Too many hyphens: 1-2-3'],
    ['1/2/3 * * * *', 'Too many slashes: 1/2/3'],
    ['*/0 * * * *', 'Step of range should be a positive number: */0'],
    ['x * * * *', 'Failed to parse int from x: got "x", expected a number'],
    ['-5 * * * *', 'Failed to parse int from -5: got "", expected a number'],
    ['*/ * * * *', 'Failed to parse int from */: got "", expected a number'],
    [', * * * *', 'Failed to parse int from ,: the list is empty'],
    ['mon * * * *', 'Failed to parse int from mon: got "mon", expected a number'],
    ['* * L * *', 'Failed to parse int from L: got "L", expected a number'],
    ['* * 15W * *', 'Failed to parse int from 15W: got "15W", expected a number'],
    ['* * * * 5#2', 'Failed to parse int from 5#2: got "5#2"'],
    ['* * * foo *', 'got "foo", expected a number or one of jan, feb'],
    ['@reboot', 'Unrecognized descriptor: @reboot; expected @yearly'],
    ['@every', 'Unrecognized descriptor: @every'],
    ['@every 5', 'Failed to parse duration @every 5: expected one of up to 87600h'],
    ['TZ=Mars/Base * * * * *', 'Provided bad location Mars/Base: expected an IANA time zone'],
    ['0 0 31 2 *', 'The day of month never comes in the given months: 0 0 31 2 *'],
    ['0 0 31 4,6,9,11 *', 'The day of month never comes in the given months'],
  ])('refuses %j', (text, message) => {
    expect(() => parseCrontab(text)).toThrow(SyntaxError);
    expect(() => parseCrontab(text)).toThrow(message);
  });

  it('accepts 29 February', () => {
    expect(alternativesOf('0 0 29 2 *')).toMatchObject([{ daysOfMonth: [29], months: [2] }]);
  });
});
