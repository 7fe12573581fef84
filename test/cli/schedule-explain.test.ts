import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { explainSchedule, type ExplainOptions } from '../../src/cli/schedule/explain.ts';
import { UsageError } from '../../src/errors.ts';

const NOW_MS = Date.parse('2026-01-05T03:00:00.250Z');

function explained(crontab: string, options: Partial<ExplainOptions> = {}): string {
  return explainSchedule({ crontab: [crontab], nowMs: NOW_MS, ...options });
}

describe('hooklet schedule explain', () => {
  it('says what a crontab means, and marks what a change of the clock does', () => {
    const text = explained('30 2 * * *', { zone: 'Europe/Berlin', from: '2026-03-28', to: '2026-03-30' });

    expect(text).toBe(`crontab   30 2 * * *
means     at 02:30 every day
zone      Europe/Berlin
interval  every 23h30m

Sat 2026-03-28 02:30:00 +01:00   2026-03-28T01:30:00Z
Sun 2026-03-29 03:00:00 +02:00   2026-03-29T01:00:00Z   clock skips 02:30: runs at 03:00
Mon 2026-03-30 02:30:00 +02:00   2026-03-30T00:30:00Z

3 in this range.
`);
  });

  it('shows the next ten without a range, and says that there are more', () => {
    const text = explained('0 3 * * *', { zone: 'UTC' });

    expect(text.match(/^\w{3} 2026-/gm)).toHaveLength(10);
    expect(text).toContain('interval  every 24h\n');
    expect(text).toContain('Tue 2026-01-06 03:00:00 +00:00   2026-01-06T03:00:00Z\n');
    expect(text).toMatch(/The next 10 from 2026-01-05T03:00:00Z; --count or --to show more\.\n$/);
  });

  it('tells a time that comes twice, and one that many ticks fall together at', () => {
    const october = { zone: 'Europe/Berlin', from: '2026-10-25', to: '2026-10-25' };
    const march = { zone: 'Europe/Berlin', from: '2026-03-29T01:00', to: '2026-03-29T03:00' };

    expect(explained('30 2 * * *', october)).toContain(
      '02:30:00 +02:00   2026-10-25T00:30:00Z   comes twice, runs the first time',
    );
    expect(explained('30 * * * *', october).match(/comes twice, runs both times/g)).toHaveLength(2);
    expect(explained('* 2 * * *', march)).toContain('clock skips 02:00 to 02:59, 60 times: runs once at 03:00');
    expect(explained('0,30 2 * * *', march)).toContain('clock skips 02:00, 02:30: runs once at 03:00');
  });

  it('counts a tick at the first and at the last moment of the range', () => {
    const text = explained('0 * * * *', { zone: 'UTC', from: '2026-01-05T03:00', to: '2026-01-05T05:00' });

    expect(text).toContain('3 in this range.');
  });

  it('is bounded in a long range, and says so', () => {
    const year = { zone: 'UTC', from: '2026-01-01', to: '2026-12-31' };

    expect(explained('* * * * *', year)).toMatch(/The first 1000 of more in this range; --count shows up to 1000\.\n$/);
    expect(explained('* * * * *', { ...year, count: '5' })).toContain('The first 5 of more in this range');
    expect(explained('0 0 29 2 *', year)).toContain('No ticks in this range.');
  });

  it('counts @every from the beginning of the range', () => {
    const text = explained('@every 90m', { zone: 'UTC', from: '2026-01-05T00:00', count: '2' });

    expect(text).toContain('every 1h30m, counted from the start of the operator');
    expect(text).toContain('01:30:00 +00:00');
    expect(text).toContain('03:00:00 +00:00');
  });

  it('writes JSON and YAML', () => {
    const options = { zone: 'Europe/Berlin', from: '2026-03-29', to: '2026-03-30' };
    const document = {
      crontab: '30 2 * * *',
      timeZone: 'Europe/Berlin',
      words: 'at 02:30 every day',
      intervalSeconds: { min: 84_600, typical: 84_600, max: 84_600 },
      ticks: [
        {
          local: '2026-03-29T03:00:00+02:00',
          utc: '2026-03-29T01:00:00Z',
          effect: 'clock skips 02:30: runs at 03:00',
        },
        { local: '2026-03-30T02:30:00+02:00', utc: '2026-03-30T00:30:00Z' },
      ],
      more: false,
    };

    expect(JSON.parse(explained('30 2 * * *', { ...options, output: 'json' }))).toEqual(document);
    expect(parse(explained('30 2 * * *', { ...options, output: 'yaml' }))).toEqual(document);
  });

  it('shows the offset of zones west of Greenwich, and of half hours', () => {
    expect(explained('0 3 * * *', { zone: 'America/New_York', count: '1' })).toContain('03:00:00 -05:00');
    expect(explained('0 3 * * *', { zone: 'Asia/Kolkata', count: '1' })).toContain('03:00:00 +05:30');
  });

  it.each<[string, Partial<ExplainOptions>, string]>([
    ['0 0 31 2 *', {}, 'crontab "0 0 31 2 *": The day of month never comes'],
    ['nonsense', {}, 'Expected 5 or 6 fields, found 1'],
    ['0 3 * * *', { crontab: ['0', '3', 'README.md', 'src', 'test', 'x', 'y'] }, 'put it into quotes'],
    ['TZ=Mars/Olympus 0 3 * * *', {}, 'bad location Mars/Olympus'],
    ['0 3 * * *', { zone: 'Europe/Berln' }, '--zone: got "Europe/Berln", expected an IANA time zone: Europe/Berlin?'],
    ['0 3 * * *', { zone: '' }, '--zone: got "", expected an IANA time zone'],
    ['TZ=UTC 0 3 * * *', { zone: 'Europe/Berlin' }, 'but the crontab has the time zone UTC'],
    ['0 3 * * *', { from: '2026-02-30' }, '--from: got "2026-02-30", expected now, a date'],
    ['0 3 * * *', { to: 'later' }, '--to: got "later", expected now, a date'],
    [
      '0 3 * * *',
      { from: '2026-03-02', to: '2026-03-01T12:00' },
      '--to: got "2026-03-01T12:00", expected a time after',
    ],
    ['0 3 * * *', { count: '0' }, '--count: got "0", expected a whole number from 1 to 1000'],
    ['0 3 * * *', { count: '1e9' }, '--count: got "1e9"'],
    ['0 3 * * *', { output: 'xml' }, '--output: got "xml", expected one of text, json, yaml'],
  ])('refuses %s with %j', (crontab, options, message) => {
    expect(() => explained(crontab, options)).toThrow(UsageError);
    expect(() => explained(crontab, options)).toThrow(message);
  });

  it('takes a crontab that was not put into quotes, where the shell left it alone', () => {
    expect(explained('', { crontab: ['0', '3', '1', '1', '?'], zone: 'UTC' })).toContain('at 03:00 on 1 January');
  });
});
