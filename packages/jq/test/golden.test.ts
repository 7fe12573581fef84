import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../src/value.ts';
import { GOLDEN_CASES } from './golden-cases.ts';
import { GOLDEN_EXCEPTIONS } from './golden-exceptions.ts';
import { runOurJq, SILENT_HOST } from './our-jq.ts';
import type { JqResult } from './real-jq.ts';

interface GoldenRecord extends JqResult {
  readonly program: string;
  readonly input: JsonValue;
}

const records: readonly GoldenRecord[] = JSON.parse(readFileSync(new URL('golden.json', import.meta.url), 'utf8'));
const environment = { HOME: '/home/jq', PATH: '/bin' };

describe('a program does what is on record of the real jq', () => {
  it.each(records.map((record): [string, GoldenRecord] => [record.program, record]))('%s', (program, record) => {
    const { reason: _reason, ...expected } = GOLDEN_EXCEPTIONS[program] ?? {
      outputs: record.outputs,
      ...(record.error === undefined ? {} : { error: record.error }),
      reason: '',
    };

    expect(runOurJq(program, record.input, { host: SILENT_HOST, environment })).toEqual(expected);
  });
});

describe('the record', () => {
  it('has every case, and at least 500', () => {
    const recorded = records.map(({ program, input }) => ({ program, input }));

    expect(recorded).toEqual(GOLDEN_CASES);
    expect(recorded.length).toBeGreaterThanOrEqual(500);
  });

  it('has a case for every exception', () => {
    const programs = new Set(GOLDEN_CASES.map(({ program }) => program));

    expect(Object.keys(GOLDEN_EXCEPTIONS).filter((program) => !programs.has(program))).toEqual([]);
  });
});
