import { describe, expect, it } from 'vitest';
import { parseCrontab } from '../../src/crontab/crontab.ts';
import { crontabWords } from '../../src/crontab/words.ts';

describe('the words of a crontab', () => {
  it.each([
    ['* * * * * *', 'every second'],
    ['*/15 * * * * *', 'every 15 seconds'],
    ['7 * * * * *', 'at second 7 of every minute'],
    ['* * * * *', 'every minute'],
    ['*/5 * * * *', 'every 5 minutes'],
    ['5/15 * * * *', 'every 15 minutes from minute 5'],
    ['*/7 * * * *', 'at minutes 0, 7, 14, 21, 28, 35, 42, 49 and 56 of every hour'],
    ['0 * * * *', 'every hour'],
    ['17 * * * *', 'every hour at minute 17'],
    ['3,17 * * * *', 'at minutes 3 and 17 of every hour'],
    ['0 */2 * * *', 'every 2 hours'],
    ['15 1/2 * * *', 'every 2 hours from hour 1 at minute 15'],
    ['0 */6 * * *', 'at 00:00, 06:00, 12:00 and 18:00 every day'],
    ['30 2 * * *', 'at 02:30 every day'],
    ['15 30 2 * * *', 'at 02:30:15 every day'],
    ['*/10 8-18 * * *', 'every 10 minutes in the hours 8 to 18'],
    ['* 2 * * *', 'every minute in the hour 2'],
    ['3,17,20 8-18 * * *', 'at minutes 3, 17 and 20 of the hours 8 to 18'],
    ['30 8-18 * * *', 'at minute 30 of the hours 8 to 18'],
    ['*/10 0-4 * * * *', 'every 10 seconds of minutes 0 to 4 of every hour'],
    ['0 3 * * 1-5', 'at 03:00 on Monday to Friday'],
    ['0 3 * * 6,0', 'at 03:00 on Saturday and Sunday'],
    ['0 3 * * FRI-SAT,SUN', 'at 03:00 on Friday to Sunday'],
    ['0 3 1 * *', 'at 03:00 on day 1 of the month'],
    ['0 3 1-7 * *', 'at 03:00 on days 1 to 7 of the month'],
    ['0 3 1 1,7 *', 'at 03:00 on day 1 of January and July'],
    ['0 0 29 2 *', 'at 00:00 on 29 February'],
    ['0 3 * 6-8 *', 'at 03:00 in June to August'],
    ['0 3 * 1 1', 'at 03:00 on Monday in January'],
    ['0 3 13 * 5', 'at 03:00 on Friday or on day 13 of the month'],
    ['0 3 */10 * 5', 'at 03:00 on days 1, 11, 21 and 31 of the month that are Friday'],
    ['*/5 * * * 1', 'every 5 minutes on Monday'],
    ['@daily', 'at 00:00 every day'],
    ['@weekly', 'at 00:00 on Sunday'],
    ['@yearly', 'at 00:00 on 1 January'],
    ['@every 90m', 'every 1h30m, counted from the start of the operator'],
    ['TZ=Asia/Tokyo 0 9 * * *', 'at 09:00 every day'],
  ])('%s: %s', (crontab, words) => {
    expect(crontabWords(parseCrontab(crontab))).toBe(words);
  });
});
