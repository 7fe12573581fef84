import { describe, expect, it } from 'vitest';
import { parseCrontab } from '../../src/crontab/crontab.ts';
import { nextRun } from '../../src/crontab/next.ts';
import { tickEffect } from '../../src/crontab/tick-effect.ts';

/** The first tick after `from`, and the effect of a clock change on it. */
function first(crontab: string, from: string) {
  const parsed = parseCrontab(crontab);
  const tickMs = nextRun(parsed, Date.parse(from));
  const effect = tickEffect(parsed, tickMs);
  const told =
    effect?.type === 'skipped' ? effect.wallMs.map((ms) => new Date(ms).toISOString().slice(11, 19)) : effect?.runs;
  return [new Date(tickMs).toISOString().replace('.000Z', 'Z'), told];
}

const BERLIN = 'TZ=Europe/Berlin';
const LORD_HOWE = 'TZ=Australia/Lord_Howe';

describe('the effect of a change of the clock on a tick', () => {
  it.each<[string, string, string, unknown]>([
    [`${BERLIN} 30 2 * * *`, '2026-03-29T00:00:00Z', '2026-03-29T01:00:00Z', ['02:30:00']],
    [`${BERLIN} 0,30 2,3 * * *`, '2026-03-29T00:00:00Z', '2026-03-29T01:00:00Z', ['02:00:00', '02:30:00']],
    [`${BERLIN} 30 2 * * *`, '2026-03-28T00:00:00Z', '2026-03-28T01:30:00Z', undefined],
    [`${BERLIN} 0 3 * * *`, '2026-03-29T00:00:00Z', '2026-03-29T01:00:00Z', undefined],
    [`${BERLIN} */5 * * * *`, '2026-03-29T00:59:00Z', '2026-03-29T01:00:00Z', undefined],
    [`${LORD_HOWE} 15 * * * *`, '2026-10-03T15:20:00Z', '2026-10-03T15:30:00Z', ['02:15:00']],
    [`${LORD_HOWE} 15 2 * * *`, '2026-10-03T12:00:00Z', '2026-10-03T15:30:00Z', ['02:15:00']],
  ])('%s after %s skips', (crontab, from, tick, skipped) => {
    expect(first(crontab, from)).toEqual([tick, skipped]);
  });

  it.each<[string, string, string, unknown]>([
    [`${BERLIN} 30 2 * * *`, '2026-10-24T12:00:00Z', '2026-10-25T00:30:00Z', 'the first time'],
    [`${BERLIN} 30 * * * *`, '2026-10-25T00:00:00Z', '2026-10-25T00:30:00Z', 'both times'],
    [`${BERLIN} 30 * * * *`, '2026-10-25T01:00:00Z', '2026-10-25T01:30:00Z', 'both times'],
    [`${BERLIN} 30 3 * * *`, '2026-10-24T12:00:00Z', '2026-10-25T02:30:00Z', undefined],
    [`${LORD_HOWE} 45 1 * * *`, '2026-04-04T00:00:00Z', '2026-04-04T14:45:00Z', 'the first time'],
    ['TZ=UTC 30 2 * * *', '2026-10-24T12:00:00Z', '2026-10-25T02:30:00Z', undefined],
  ])('%s after %s comes twice', (crontab, from, tick, runs) => {
    expect(first(crontab, from)).toEqual([tick, runs]);
  });

  it('there is none on intervals', () => {
    expect(first(`${BERLIN} @every 30m`, '2026-03-29T00:30:00Z')[1]).toBeUndefined();
  });
});
