import { describe, expect, it } from 'vitest';
import type { RemoteRun } from '../../src/hook/remote-run.ts';
import { MAX_CAPACITY, type HandedRun, type HeldRun, type RunToEnd } from '../../src/hook/work-desk.ts';
import {
  encodeBeat,
  encodeEnds,
  encodeHello,
  encodeRuns,
  encodeTerms,
  MAX_BEAT_BYTES,
  MAX_ENDS_BYTES,
  MAX_HELLO_BYTES,
  MAX_RUNS_BYTES,
  parseBeat,
  parseEnds,
  parseHello,
  parseRuns,
  parseTerms,
} from '../../src/hook/work-wire.ts';

const HELLO = { pool: 'large-memory', hooks: 'a'.repeat(64), capacity: 256, version: '1.2.3+dev' };
const TERMS = { worker: 'w_1-a', beatMs: 5000, silenceMs: 15_000 };
const RUN_ID = '018f2c3a-1111-7222-8333-444444444444';
const END: RunToEnd = { runId: RUN_ID, epoch: 2, why: 'line\n"line" \u2028', isOver: false };
const LEAST: RemoteRun = {
  runId: RUN_ID,
  attempt: 1,
  hook: '002-x/hook.sh',
  hookHash: 'ab',
  type: 'process',
  plainExitCodes: false,
  contextBytes: 5,
};
const MOST: RemoteRun = {
  ...LEAST,
  type: 'warm',
  timeoutMs: 1.5,
  outcome: { success: [3], later: [], permanent: [9] },
  plainExitCodes: true,
  backgroundLimitMs: 0,
  traceparent: '00-a-b-01',
};
const CONTEXTS = Buffer.from('[\n1]\n');

function body(runs: readonly HandedRun[]): Buffer {
  return Buffer.concat(encodeRuns(runs));
}

function wrong(problem: string): unknown {
  return { type: 'wrong', problem: expect.stringContaining(problem) };
}

describe('a hello', () => {
  it('is read as it was written, and may have members that its reader does not know', () => {
    expect(parseHello(encodeHello(HELLO))).toEqual({ type: 'read', value: HELLO });
    expect(parseHello(JSON.stringify({ ...HELLO, newer: [] }))).toEqual({ type: 'read', value: HELLO });
  });

  it('with texts as long as they may be fits', () => {
    const long = { pool: 'p'.repeat(63), hooks: '\u0001'.repeat(200), capacity: 256, version: '\u2028'.repeat(200) };
    expect(parseHello(encodeHello(long)).type).toBe('read');
    expect(Buffer.byteLength(encodeHello(long))).toBeLessThanOrEqual(MAX_HELLO_BYTES);
  });

  it.each([
    [{ pool: 'A' }, 'the hello: pool: got "A", expected the name of a pool: at most 63 small letters'],
    [{ pool: 'p'.repeat(64) }, 'the hello: pool: got'],
    [{ pool: undefined }, 'the hello: pool: got nothing'],
    [{ hooks: '' }, 'the hello: hooks: got "", expected a text of 1 to 200 characters'],
    [{ hooks: 'a'.repeat(201) }, 'the hello: hooks: got'],
    [{ version: 'a'.repeat(201) }, 'the hello: version: got'],
    [{ version: 1 }, 'the hello: version: got 1'],
    [{ capacity: 0 }, 'the hello: capacity: got 0, expected a whole number from 1 to 256'],
    [{ capacity: 257 }, 'the hello: capacity: got 257, expected'],
    [{ capacity: '4' }, 'the hello: capacity: got "4", expected'],
    [{ capacity: null, pool: 1 }, 'the hello: pool: got 1, expected the name of a pool: at most'],
  ])('is none with %j', (member, problem) => {
    expect(parseHello(JSON.stringify({ ...HELLO, ...member }))).toEqual(wrong(problem));
  });
});

describe('terms', () => {
  it('are read as they were written', () => {
    expect(parseTerms(encodeTerms(TERMS))).toEqual({ type: 'read', value: TERMS });
  });

  it.each([
    [{ worker: 'a/b' }, 'the terms: worker: got "a/b", expected 1 to 64 letters, digits, "-" and "_"'],
    [{ worker: '' }, 'the terms: worker: got ""'],
    [{ beatMs: 0 }, 'the terms: beatMs: got 0, expected a whole number from 1 to 3600000'],
    [{ silenceMs: 3_600_001 }, 'the terms: silenceMs: got 3600001, expected'],
    [{ beatMs: 15_000 }, 'the terms: beatMs: got 15000, expected less than silenceMs, 15000'],
  ])('are none with %j', (member, problem) => {
    expect(parseTerms(JSON.stringify({ ...TERMS, ...member }))).toEqual(wrong(problem));
  });
});

describe('a beat', () => {
  it.each<readonly [string, readonly HeldRun[]]>([
    ['no run', []],
    [
      'two',
      [
        { runId: RUN_ID, epoch: 1 },
        { runId: 'b', epoch: 2 ** 53 - 1 },
      ],
    ],
  ])('with %s is read as it was written', (_what, held) => {
    expect(parseBeat(encodeBeat(held))).toEqual({ type: 'read', value: held });
  });

  it('has 256 runs at most, which fit', () => {
    const held = Array.from({ length: 257 }, () => ({ runId: 'r'.repeat(64), epoch: 2 ** 53 - 1 }));
    const full = encodeBeat(held.slice(0, 256));
    expect(MAX_CAPACITY).toBe(256);
    expect(parseBeat(full).type).toBe('read');
    expect(Buffer.byteLength(full)).toBeLessThanOrEqual(MAX_BEAT_BYTES);
    expect(parseBeat(encodeBeat(held))).toEqual(wrong('held: got a list of 257, expected one of at most 256'));
  });

  it.each([
    ['', 'the beat: got "", expected JSON'],
    ['[]', 'the beat: got [], expected an object of JSON'],
    ['{}', 'the beat: held: got nothing, expected a list'],
    ['{"held":[1]}', 'the beat: held[0]: got 1, expected an object'],
    ['{"held":[{"runId":"a/b","epoch":1}]}', 'the beat: held[0]: runId: got "a/b", expected 1 to 64'],
    ['{"held":[{"runId":"a","epoch":0}]}', 'the beat: held[0]: epoch: got 0'],
    ['{"held":[{"runId":"a","epoch":1.5}]}', 'the beat: held[0]: epoch: got 1.5'],
  ])('is not %s', (text, problem) => expect(parseBeat(text)).toEqual(wrong(problem)));
});

describe('runs to end', () => {
  it.each<readonly [string, readonly RunToEnd[]]>([
    ['none', []],
    ['two', [END, { ...END, epoch: 3, isOver: true }]],
  ])('as %s are read as they were written', (_what, ends) => {
    expect(parseEnds(encodeEnds(ends))).toEqual({ type: 'read', value: ends });
  });

  it('say why in 500 characters at most, so that 256 of them fit', () => {
    const encoded = encodeEnds(Array.from({ length: 256 }, () => ({ ...END, why: '\u0001'.repeat(10_000) })));
    expect(Buffer.byteLength(encoded)).toBeLessThanOrEqual(MAX_ENDS_BYTES);
    const parsed = parseEnds(encoded);
    expect(parsed.type === 'read' && parsed.value.map(({ why }) => why.length)).toEqual(Array(256).fill(501));
  });

  it.each([
    ['{"end":{}}', 'the runs to end: end: got {}, expected a list'],
    ['{"end":[{"runId":"a","epoch":1,"why":1,"isOver":true}]}', 'end[0]: why: got 1, expected a text'],
    ['{"end":[{"runId":"a","epoch":1,"why":"","isOver":0}]}', 'end[0]: isOver: got 0, expected true or false'],
  ])('are not %s', (text, problem) => expect(parseEnds(text)).toEqual(wrong(problem)));
});

describe('runs that are handed out', () => {
  it.each<readonly [string, readonly HandedRun[]]>([
    ['none', []],
    ['one with its contexts', [{ run: MOST, epoch: 2, env: { A: 'b\n', C: '' }, contexts: [CONTEXTS] }]],
    ['one whose contexts are to be asked for', [{ run: LEAST, epoch: 1 }]],
    [
      'some of each',
      [
        { run: LEAST, epoch: 1, contexts: [Buffer.from('first')] },
        { run: { ...MOST, contextBytes: 300_000 }, epoch: 7 },
        { run: { ...LEAST, contextBytes: 0 }, epoch: 1, contexts: [Buffer.alloc(0)] },
        { run: { ...LEAST, contextBytes: 6 }, epoch: 1, env: {}, contexts: [Buffer.from('second')] },
      ],
    ],
  ])('as %s are read as they were written', (_what, runs) => {
    expect(parseRuns(body(runs))).toStrictEqual({ type: 'read', value: runs });
  });

  it('have their contexts neither copied nor joined by who writes them', () => {
    const chunks = [Buffer.from('ab'), Buffer.from('cde')];
    const [head, ...pieces] = encodeRuns([{ run: LEAST, epoch: 1, contexts: chunks }]);
    expect(head).toBeDefined();
    expect(pieces[0]).toBe(chunks[0]);
    expect(pieces[1]).toBe(chunks[1]);
    const parsed = parseRuns(body([{ run: LEAST, epoch: 1, contexts: chunks }]));
    expect(parsed.type === 'read' && parsed.value[0]?.contexts?.map(String)).toEqual(['abcde']);
  });

  it('have 4 MiB of contexts with them at most: those beyond are to be asked for', () => {
    const contexts = [Buffer.alloc(256 * 1024, 'x')];
    const run = { ...LEAST, contextBytes: 256 * 1024 };
    const encoded = body(Array.from({ length: 256 }, (): HandedRun => ({ run, epoch: 1, contexts })));
    expect(encoded.length).toBeLessThanOrEqual(MAX_RUNS_BYTES);
    const parsed = parseRuns(encoded);
    const inline = parsed.type === 'read' ? parsed.value.filter((handed) => handed.contexts !== undefined) : [];
    expect(inline).toHaveLength(16);
    expect(parsed.type === 'read' && parsed.value).toHaveLength(256);
  });

  const HEAD = { ...LEAST, epoch: 1, isInline: false };

  it.each([
    [{ epoch: 0 }, 'runs[0]: epoch: got 0, expected a whole number of 1 or more'],
    [{ isInline: 'yes' }, 'runs[0]: isInline: got "yes", expected true or false'],
    [{ env: { A: 1 } }, 'runs[0]: env: A: got 1, expected a text'],
    [{ env: [] }, 'runs[0]: env: got [], expected an object of JSON'],
    [{ runId: '../x' }, 'runs[0]: runId: got "../x", expected 1 to 64 letters'],
    [{ hook: 7 }, 'runs[0]: hook: got 7, expected a text'],
    [{ contextBytes: -1 }, 'runs[0]: contextBytes: got -1'],
    [{ type: 'job' }, 'runs[0]: type: got "job", expected one of process, warm'],
  ])('are none with %j', (member, problem) => {
    const text = `${JSON.stringify({ runs: [{ ...HEAD, ...member }] })}\n`;
    expect(parseRuns(Buffer.from(text))).toEqual(wrong(problem));
  });

  it.each([
    ['', 'the runs: got "", expected a line of JSON'],
    ['{"runs":[]}', 'expected a line of JSON'],
    ['{\n', 'the line of the runs: got "{", expected JSON'],
    ['{}\n', 'the line of the runs: runs: got nothing, expected a list'],
    ['{"runs":[]}\nx', 'the contexts of the runs: got 1 bytes, expected 0'],
    [`${JSON.stringify({ runs: [{ ...HEAD, isInline: true }] })}\nabcd`, 'got 4 bytes, expected 5'],
    [`${JSON.stringify({ runs: [{ ...HEAD, isInline: true }] })}\nabcdef`, 'got 6 bytes, expected 5'],
    [`${JSON.stringify({ runs: Array(257).fill(HEAD) })}\n`, 'runs: got a list of 257, expected one of at most 256'],
  ])('are not %#', (text, problem) => expect(parseRuns(Buffer.from(text))).toEqual(wrong(problem)));

  it('are refused however they are cut off', () => {
    const whole = body([{ run: MOST, epoch: 2, env: { A: 'b' }, contexts: [CONTEXTS] }]);
    for (let length = 0; length < whole.length; length += 1) {
      expect(parseRuns(whole.subarray(0, length)).type).toBe('wrong');
    }
    expect(parseRuns(whole).type).toBe('read');
  });
});
