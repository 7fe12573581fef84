import { describe, expect, it } from 'vitest';
import { scheduleProblem } from '../src/cron-schedule.ts';

describe('the schedule of a CronJob', () => {
  it.each([
    '* * * * *',
    '  0\t3 * * *  ',
    '*/15 0-6,22 1 jan,JUL ?',
    '0 3 30 2 *',
    '5/10 * * * *',
    '0-59/59 * * * mon-Fri',
    // All is read leniently that a reader of a crontab would doubt.
    '+5 007 * * *',
    '1,,2 , * * *',
    '*-5-7 * * * *',
    '*/99 * * * *',
    '@yearly',
    '@annually',
    '@monthly',
    '@weekly',
    '@daily',
    '@midnight',
    '@hourly',
    '@every 1h30m',
    '@every -1.5s',
    '@every 0',
    '@every 2562047h47m16.854775807s',
    '@every 10µs',
    'CRON_TZ=Europe/Berlin 0 3 * * *',
    'TZ=UTC @daily',
  ])('may be %j', (schedule) => {
    expect(scheduleProblem(schedule)).toBeUndefined();
  });

  it.each([
    ['1-5-7 * * * *', 'too many hyphens: 1-5-7'],
    ['1-5-7', 'expected exactly 5 fields, found 1: [1-5-7]'],
    ['0 0 3 * * *', 'expected exactly 5 fields, found 6: [0 0 3 * * *]'],
    [' ', 'expected exactly 5 fields, found 0: []'],
    ['@Daily', 'unrecognized descriptor: @Daily'],
    ['@daily ', 'unrecognized descriptor: @daily '],
    ['@reboot', 'unrecognized descriptor: @reboot'],
    ['@every', 'unrecognized descriptor: @every'],
    ['@every 5', 'failed to parse duration @every 5: time: invalid duration "5"'],
    ['@every 1d', 'failed to parse duration @every 1d: time: invalid duration "1d"'],
    ['@every 9999999h', 'failed to parse duration @every 9999999h: time: invalid duration "9999999h"'],
    ['@every ', 'failed to parse duration @every : time: invalid duration ""'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* 24 * * *', 'end of range (24) above maximum (23): 24'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['* * * 13 *', 'end of range (13) above maximum (12): 13'],
    ['* * * * 7', 'end of range (7) above maximum (6): 7'],
    ['* * * * fri-mon', 'beginning of range (5) beyond end of range (1): fri-mon'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
    ['mon * * * *', 'failed to parse int from mon: strconv.Atoi: parsing "mon": invalid syntax'],
    ['* * * * monday', 'failed to parse int from monday: strconv.Atoi: parsing "monday": invalid syntax'],
    ['1- * * * *', 'failed to parse int from : strconv.Atoi: parsing "": invalid syntax'],
    ['*/-5 * * * *', 'negative number (-5) not allowed: -5'],
    ['** * * * *', 'failed to parse int from **: strconv.Atoi: parsing "**": invalid syntax'],
    ['* * L * *', 'failed to parse int from L: strconv.Atoi: parsing "L": invalid syntax'],
    ['TZ=UTC', 'expected a time zone and a schedule, found TZ=UTC'],
  ])('is not %j', (schedule, problem) => {
    expect(scheduleProblem(schedule)).toBe(problem);
  });
});
