import { describe, expect, it } from 'vitest';
import type { FaultWindow } from '../../bench/soak/faults.ts';
import { Ledger } from '../../bench/soak/ledger.ts';
import { describeReport, summarize } from '../../bench/soak/report.ts';
import { versionKey } from '../../bench/soak/writers.ts';

const SILENCE: FaultWindow = {
  name: 'stageSilence',
  startMs: 10_000,
  endMs: 12_000,
  detail: 'idle, 2 s',
  limitMs: 5000,
};
const RESET: FaultWindow = { name: 'stageReset', startMs: 40_000, endMs: 40_000, detail: 'headers', limitMs: 3000 };

/**
 * The report of a soak with two faults, after each of which a hook saw a write so many milliseconds after the fault's
 * end.
 */
function reportWith(silentForMs: number, resetForMs: number) {
  const ledger = new Ledger();
  const writes = [SILENCE, RESET].map(({ startMs }, index) => {
    const version = { uid: 'a', resourceVersion: String(index + 1) };
    return { version, hook: 'hook', key: versionKey(version), sentAtMs: startMs };
  });
  const heardAtMs = [SILENCE.endMs + silentForMs, RESET.endMs + resetForMs];
  for (const [index, { version }] of writes.entries()) {
    const contexts = [{ type: 'event', event: 'Modified', version }] as const;
    ledger.record({ hook: 'hook', generation: 1, atMs: heardAtMs[index] ?? 0, contexts });
  }
  return summarize({
    seed: 1,
    minutes: 1,
    audits: 1,
    missed: 0,
    problems: [],
    writes,
    unanswered: 0,
    ledger,
    faults: [SILENCE, RESET],
    operator: { footprints: [], generation: 1, crashes: 0 },
  });
}

describe('the report of the soak', () => {
  it('finds nothing late at 5 s after silence and 3 s after a reset', () => {
    expect(reportWith(5000, 3000).faults.flatMap(({ late }) => late)).toEqual([]);
  });

  it('names what was later, and at which stage', () => {
    const report = reportWith(5001, 3001);

    expect(report.faults.flatMap(({ late }) => late)).toEqual([
      'stageReset (headers): 3001 ms, promised 3000',
      'stageSilence (idle, 2 s): 5001 ms, promised 5000',
    ]);
    expect(describeReport(report)).toContain('PROBLEM stageSilence (idle, 2 s): 5001 ms, promised 5000');
  });
});
