import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lastTick, nextRun, ticksBetween } from '../../src/crontab/next.ts';
import { parseCrontab } from '../../src/crontab/crontab.ts';

/** The ticks after an instant, without the milliseconds, which are always zero. */
function runs(text: string, after: string, count: number): readonly string[] {
  const crontab = parseCrontab(text);
  const found: string[] = [];
  let instantMs = Date.parse(after);
  while (found.length < count) {
    instantMs = nextRun(crontab, instantMs);
    found.push(new Date(instantMs).toISOString().replace(':00.000Z', 'Z'));
  }
  return found;
}

describe('nextRun', () => {
  it.each([
    ['TZ=UTC */20 * * * *', '2026-05-01T10:05:00Z', ['2026-05-01T10:20Z', '2026-05-01T10:40Z', '2026-05-01T11:00Z']],
    ['TZ=UTC 0 0 1 1 *', '2026-12-31T23:59:59Z', ['2027-01-01T00:00Z', '2028-01-01T00:00Z']],
    ['TZ=UTC 59 23 31 12 *', '2026-12-31T23:59:00Z', ['2027-12-31T23:59Z']],
    ['TZ=UTC 0 0 29 2 *', '2026-01-01T00:00:00Z', ['2028-02-29T00:00Z', '2032-02-29T00:00Z']],
    ['TZ=UTC 0 0 29 2 *', '2096-03-01T00:00:00Z', ['2104-02-29T00:00Z']],
    ['TZ=UTC 0 0 31 * *', '2026-01-31T00:00:00Z', ['2026-03-31T00:00Z', '2026-05-31T00:00Z']],
    ['TZ=UTC 0 0 13 * 5', '2026-02-01T00:00:00Z', ['2026-02-06T00:00Z', '2026-02-13T00:00Z', '2026-02-20T00:00Z']],
    ['TZ=UTC 0 0 29 2 */6', '2026-01-01T00:00:00Z', ['2032-02-29T00:00Z', '2048-02-29T00:00Z']],
    ['TZ=Asia/Tokyo 0 9 * * *', '2026-05-01T00:00:00Z', ['2026-05-02T00:00Z']],
  ])('%s after %s', (text, after, expected) => {
    expect(runs(text, after, expected.length)).toEqual(expected);
  });

  it('is never the instant it starts from, and finds the next second', () => {
    expect(runs('TZ=UTC * * * * * *', '2026-05-01T10:00:00.500Z', 2)).toEqual([
      '2026-05-01T10:00:01.000Z',
      '2026-05-01T10:00:02.000Z',
    ]);
  });

  describe('when the clock goes forward', () => {
    it('runs a fixed time that is skipped once, at the first instant after the gap', () => {
      expect(runs('TZ=Europe/Berlin 30 2 * * *', '2026-03-28T12:00:00Z', 2)).toEqual([
        '2026-03-29T01:00Z',
        '2026-03-30T00:30Z',
      ]);
    });

    it('runs several fixed times that fall together once', () => {
      expect(runs('TZ=Europe/Berlin 0,15,45 2,3 * * *', '2026-03-28T12:00:00Z', 4)).toEqual([
        '2026-03-29T01:00Z',
        '2026-03-29T01:15Z',
        '2026-03-29T01:45Z',
        '2026-03-30T00:00Z',
      ]);
    });

    it('leaves out the hour that does not exist in a schedule of every hour', () => {
      expect(runs('TZ=Europe/Berlin 30 * * * *', '2026-03-28T23:45:00Z', 3)).toEqual([
        '2026-03-29T00:30Z',
        '2026-03-29T01:30Z',
        '2026-03-29T02:30Z',
      ]);
    });

    it('keeps the period of a schedule within the hour', () => {
      expect(runs('TZ=Europe/Berlin */30 * * * *', '2026-03-29T00:15:00Z', 3)).toEqual([
        '2026-03-29T00:30Z',
        '2026-03-29T01:00Z',
        '2026-03-29T01:30Z',
      ]);
    });

    it('runs what was due in a skipped beginning of an hour when that hour begins', () => {
      const expected = ['2026-10-03T14:45Z', '2026-10-03T15:30Z', '2026-10-03T16:15Z'];

      expect(runs('TZ=Australia/Lord_Howe 15 * * * *', '2026-10-03T14:00:00Z', 3)).toEqual(expected);
      expect(runs('TZ=Australia/Lord_Howe 15 * * * *', '2026-10-03T15:29:59Z', 1)).toEqual(['2026-10-03T15:30Z']);
      expect(runs('TZ=Australia/Lord_Howe 15 2 * * *', '2026-10-03T14:00:00Z', 1)).toEqual(['2026-10-03T15:30Z']);
    });
  });

  describe('when the clock goes back', () => {
    it('runs a fixed time that comes twice the first time only', () => {
      const expected = ['2026-10-25T00:30Z', '2026-10-26T01:30Z'];

      expect(runs('TZ=Europe/Berlin 30 2 * * *', '2026-10-24T12:00:00Z', 2)).toEqual(expected);
      // The same for a process that starts between the two.
      expect(runs('TZ=Europe/Berlin 30 2 * * *', '2026-10-25T01:10:00Z', 1)).toEqual(['2026-10-26T01:30Z']);
    });

    it.each(['*/30 * * * *', '0,30 0-23 * * *', '0/30 */1 * * *'])('runs %s through both passes', (text) => {
      expect(runs(`TZ=Europe/Berlin ${text}`, '2026-10-25T00:10:00Z', 5)).toEqual([
        '2026-10-25T00:30Z',
        '2026-10-25T01:00Z',
        '2026-10-25T01:30Z',
        '2026-10-25T02:00Z',
        '2026-10-25T02:30Z',
      ]);
    });

    it('runs every hour through both passes where half an hour is repeated', () => {
      expect(runs('TZ=Australia/Lord_Howe 45 * * * *', '2026-04-04T14:00:00Z', 3)).toEqual([
        '2026-04-04T14:45Z',
        '2026-04-04T15:15Z',
        '2026-04-04T16:15Z',
      ]);
      expect(runs('TZ=Australia/Lord_Howe 45 1 * * *', '2026-04-04T14:00:00Z', 2)).toEqual([
        '2026-04-04T14:45Z',
        '2026-04-05T15:15Z',
      ]);
    });
  });

  it('agrees with a walk through every minute for schedules of every hour', () => {
    const format = new Intl.DateTimeFormat('en-GB', { timeZone: 'America/New_York', minute: 'numeric' });
    fc.assert(
      fc.property(fc.nat(59), fc.integer({ min: 0, max: 400 }), fc.boolean(), (minute, startMinutes, isAutumn) => {
        const beforeMs = Date.parse(isAutumn ? '2026-11-01T03:00:00Z' : '2026-03-08T04:00:00Z') + startMinutes * 60_000;

        let walkedMs = beforeMs + 60_000;
        while (Number(format.format(walkedMs)) !== minute) walkedMs += 60_000;

        expect(nextRun(parseCrontab(`TZ=America/New_York ${minute} * * * *`), beforeMs)).toBe(walkedMs);
      }),
    );
  });

  it('never goes back and always goes on', () => {
    const text = fc.constantFrom('30 2 * * *', '*/20 1,2 * * *', '* * * * *', '15 */2 * * *', '0 3 1 * 1', '@every 7m');
    const zone = fc.constantFrom('Europe/Berlin', 'Australia/Lord_Howe', 'America/St_Johns', 'UTC');
    fc.assert(
      fc.property(text, zone, fc.nat(365 * 1440), fc.nat(100_000), (spec, name, minute, laterMs) => {
        const crontab = parseCrontab(`TZ=${name} ${spec}`);
        const afterMs = Date.parse('2026-01-01T00:00:00Z') + minute * 60_000;
        const next = nextRun(crontab, afterMs, 0);

        expect(next).toBeGreaterThan(afterMs);
        expect(nextRun(crontab, afterMs + laterMs, 0)).toBeGreaterThanOrEqual(next);
      }),
    );
  });

  describe('@every', () => {
    const crontab = parseCrontab('@every 90s');

    it('counts from the second in which it was enabled', () => {
      expect(nextRun(crontab, 10_400)).toBe(100_000);
      expect(nextRun(crontab, 100_000, 10_400)).toBe(190_000);
    });

    it('keeps its rhythm when a run was late', () => {
      expect(nextRun(crontab, 130_000, 10_400)).toBe(190_000);
      expect(nextRun(crontab, 1_000_000, 10_400)).toBe(1_000_000 + 90_000 - ((1_000_000 - 10_000) % 90_000));
    });
  });
});

describe('ticksBetween', () => {
  const utc = (text: string): number => Date.parse(`${text}Z`);
  const shown = (ticks: readonly number[]): readonly string[] =>
    ticks.map((tick) => new Date(tick).toISOString().slice(0, 19));

  it('yields the ticks after the first instant up to the second', () => {
    const range = { fromMs: utc('2026-05-01T10:00:00'), toMs: utc('2026-05-01T12:00:00'), limit: 10 };

    expect(shown(ticksBetween(parseCrontab('TZ=UTC 0 * * * *'), range))).toEqual([
      '2026-05-01T11:00:00',
      '2026-05-01T12:00:00',
    ]);
  });

  it('ends at its limit', () => {
    const range = { fromMs: utc('2026-05-01T10:00:00'), toMs: utc('2027-05-01T12:00:00'), limit: 2 };

    expect(ticksBetween(parseCrontab('* * * * * *'), range)).toHaveLength(2);
  });
});

describe('lastTick', () => {
  const fromMs = Date.parse('2026-03-01T10:00:00Z');

  it.each([
    '* * * * * *',
    'TZ=UTC 0 3 * * *',
    'TZ=Europe/Berlin 30 2 * * *',
    'TZ=Australia/Lord_Howe 15 2 * * *',
    '@every 7m',
    'TZ=UTC 0 0 29 2 *',
    'TZ=UTC */10 0 0 1 * *',
  ])('of %j is the one before the next, however many there are', (source) => {
    const crontab = parseCrontab(source);
    for (const days of [0.0001, 0.3, 1, 36, 240, 1500]) {
      const toMs = fromMs + days * 86_400_000;
      const last = lastTick(crontab, fromMs, toMs, fromMs);
      const next = nextRun(crontab, last ?? fromMs, fromMs);

      expect(last ?? fromMs).toBeLessThanOrEqual(toMs);
      expect(next).toBeGreaterThan(toMs);
      if (last !== undefined) expect(nextRun(crontab, last - 1000, fromMs)).toBe(last);
    }
  });

  it('is none where there is none', () => {
    expect(lastTick(parseCrontab('TZ=UTC 0 0 1 1 *'), fromMs, fromMs + 1000)).toBeUndefined();
  });

  it('includes the last instant', () => {
    expect(lastTick(parseCrontab('TZ=UTC 0 * * * *'), fromMs, fromMs + 3_600_000)).toBe(fromMs + 3_600_000);
  });
});
