import { describe, expect, it } from 'vitest';
import type { JobClaim } from '../../src/hook/job-desk.ts';
import {
  MAX_RESULT_BYTES,
  MAX_RESULT_HEAD_BYTES,
  type RemoteFiles,
  type RemoteLine,
  type RemoteResult,
} from '../../src/hook/remote-run.ts';
import { encodeResult, parseResult } from '../../src/hook/result-wire.ts';
import {
  encodeClaim,
  encodeFate,
  jobPath,
  parseClaim,
  parseFate,
  parseFateWait,
  parseJobPath,
} from '../../src/hook/job-wire.ts';
import { encodeLine, parseEpoch, parseLines } from '../../src/hook/remote-wire.ts';

const CLAIM: JobClaim = {
  epoch: 3,
  runId: 'run-1',
  attempt: 2,
  hook: '002-x/hook.sh',
  hookHash: 'ab',
  type: 'warm',
  timeoutMs: 1.5,
  outcome: { success: [3], later: [], permanent: [9, 10] },
  plainExitCodes: true,
  backgroundLimitMs: 0,
  traceparent: '00-a-b-01',
  contextBytes: 0,
  hasContexts: false,
};
const FILES: RemoteFiles = { patch: 'a\nb', metrics: '', admission: 'ü', conversion: '{"x":"\u0000"}', result: '' };
const COST = { durationMs: 1.25, userCpuMs: 10, systemCpuMs: 0, maxRssBytes: 4096 };
const FAILED = {
  type: 'failed',
  by: 'hook',
  message: 'x',
  timedOut: false,
  isPermanent: false,
  isCutOff: true,
} as const;

function body(result: RemoteResult): Buffer {
  return Buffer.concat(encodeResult(result));
}

describe('a claim on the wire', () => {
  it.each([
    ['everything', CLAIM],
    [
      'the least',
      { ...CLAIM, timeoutMs: undefined, outcome: undefined, backgroundLimitMs: undefined, traceparent: undefined },
    ],
  ])('is read as it was written, with %s', (_what, claim) => {
    const plain: unknown = JSON.parse(JSON.stringify(claim));
    expect(parseClaim(encodeClaim(claim as JobClaim))).toStrictEqual({ type: 'read', value: plain });
  });

  it('may have members that its reader does not know', () => {
    expect(parseClaim(JSON.stringify({ ...CLAIM, newer: 1 }))).toStrictEqual({ type: 'read', value: CLAIM });
  });

  it.each([
    ['<html>', 'the claim: got "<html>", expected JSON'],
    ['[]', 'the claim: got [], expected an object of JSON'],
    [{ epoch: 0 }, 'the claim: epoch: got 0, expected a whole number of 1 or more'],
    [{ epoch: 1.5 }, 'the claim: epoch: got 1.5'],
    [{ hook: 7 }, 'the claim: hook: got 7, expected a text'],
    [{ type: 'x' }, 'the claim: type: got "x", expected one of process, warm'],
    [{ timeoutMs: -1 }, 'the claim: timeoutMs: got -1, expected a number of 0 or more'],
    [{ outcome: { later: ['a'] } }, 'the claim: outcome: later: got ["a"], expected a list of whole numbers'],
    [
      { plainExitCodes: null, runId: [] },
      'runId: got [], expected a text; the claim: plainExitCodes: got null, expected true or false',
    ],
  ])('%j is none, and all that is wrong with it is said', (wrong, problem) => {
    const text = typeof wrong === 'string' ? wrong : JSON.stringify({ ...CLAIM, ...wrong });
    expect(parseClaim(text)).toEqual({ type: 'wrong', problem: expect.stringContaining(problem) });
  });
});

describe('lines on the wire', () => {
  it('are read as they were written', () => {
    const lines: readonly RemoteLine[] = [
      { stream: 'stdout', line: 'a "quoted"\tline\u2028' },
      { stream: 'stderr', line: '' },
      { stream: 'stdout', line: 'late', entry: { level: 'warn', fields: { minutes: 5 } } },
    ];
    expect(parseLines(lines.map(encodeLine).join(''))).toStrictEqual({ type: 'read', value: lines });
    expect(parseLines('')).toStrictEqual({ type: 'read', value: [] });
  });

  it.each([
    ['{"stream":"stdout","line":"a"}\n{', 'line 2: got "{", expected JSON'],
    ['{"stream":"x","line":"a"}', 'line 1: stream: got "x", expected one of stdout, stderr'],
    ['{"stream":"stdout"}', 'line 1: line: got nothing, expected a text'],
    [
      '{"stream":"stdout","line":"a","entry":{"level":"x"}}',
      'line 1: entry: level: got "x", expected one of info, debug, warn, error; line 1: entry: fields: got nothing',
    ],
    ['1', 'line 1: got 1, expected an object of JSON'],
  ])('%j are none', (text, problem) => {
    expect(parseLines(text)).toEqual({ type: 'wrong', problem: expect.stringContaining(problem) });
  });
});

describe('a result on the wire', () => {
  it.each<readonly [string, RemoteResult]>([
    ['that exited', { type: 'exited', cost: COST, isLater: true, files: FILES }],
    [
      'that failed with all there is',
      { ...FAILED, exitCode: 3, signal: 'SIGTERM', cost: { durationMs: 0 }, files: FILES },
    ],
    ['that failed', FAILED],
    ['of files', { type: 'files', files: FILES }],
    ['that is unreadable', { type: 'unreadable', message: 'line\nline' }],
  ])('%s is read as it was written', (_what, result) => {
    expect(parseResult(body(result))).toStrictEqual({ type: 'read', value: result });
  });

  it('has its message cut where its line would be longer than 65536 bytes', () => {
    const encoded = body({ ...FAILED, message: '\u0001'.repeat(32_000) });
    expect(encoded.indexOf('\n')).toBeLessThan(65_536);
    expect(MAX_RESULT_HEAD_BYTES).toBe(65_536);
    const parsed = parseResult(encoded);
    expect(parsed.type === 'read' && parsed.value.type === 'failed' && parsed.value.message).toMatch(
      /^\p{Control}{5000,}… \(cut\)$/u,
    );
  });

  it('may have 67108864 bytes of files, and no more', () => {
    expect(MAX_RESULT_BYTES).toBe(67_108_864);
    const files = (bytes: number): RemoteFiles => ({
      ...FILES,
      patch: '',
      admission: '',
      conversion: 'x'.repeat(bytes),
    });
    expect(parseResult(body({ type: 'files', files: files(67_108_864) })).type).toBe('read');
    expect(parseResult(body({ type: 'files', files: files(67_108_865) }))).toEqual({
      type: 'wrong',
      status: 413,
      problem: expect.stringMatching(/have 67108865 bytes together, at most 67108864 .* write less in one run/),
    });
  });

  it.each([
    ['', 'the result: got "", expected a line of JSON'],
    ['x'.repeat(70_000), 'expected a line of JSON of at most 65536 bytes'],
    ['{}\n', 'the line of the result: type: got nothing, expected one of'],
    ['{"type":"files"}\n', 'files: got nothing, expected a list of 5 whole numbers'],
    ['{"type":"files","files":[1,2]}\nabc', 'files: got [1,2], expected a list of 5 whole numbers'],
    ['{"type":"files","files":[0,0,-1,0,0]}\n', 'files: got [0,0,-1,0,0]'],
    [
      '{"type":"files","files":[1,0,2,0,0]}\nab',
      'the files of the result: got 2 bytes, expected the 3 that its line says',
    ],
    ['{"type":"files","files":[1,0,0,0,0]}\nab', 'got 2 bytes, expected the 1'],
    ['{"type":"unreadable","message":"x"}\nab', 'got 2 bytes, expected the 0'],
    ['{"type":"exited","cost":{"durationMs":"1"},"isLater":false,"files":[0,0,0,0,0]}\n', 'cost: durationMs: got "1"'],
    ['{"type":"failed","by":"me"}\n', 'by: got "me", expected one of hook, output, environment'],
  ])('is refused where it is %j', (text, problem) => {
    expect(parseResult(Buffer.from(text))).toEqual({
      type: 'wrong',
      status: 400,
      problem: expect.stringContaining(problem),
    });
  });
});

describe('what is asked about a run', () => {
  it('has a path', () => {
    expect(parseJobPath(jobPath('hk-1', 'fate'))).toEqual({ job: 'hk-1', what: 'fate' });
  });

  it.each([
    '/',
    '/v1/jobs/a',
    '/v1/jobs/a/b',
    '/v1/jobs//claim',
    '/v1/jobs/A/claim',
    '/v1/jobs/a/claim/',
    '/v1/jobs/-a/claim',
    `/v1/jobs/${'a'.repeat(64)}/claim`,
    '/v1/jobs/a%2f/claim',
  ])('has no path as %s', (path) => expect(parseJobPath(path)).toBeUndefined());

  it.each([
    ['1', 1],
    ['9007199254740991', 9_007_199_254_740_991],
  ])('has the epoch %s', (text, epoch) => expect(parseEpoch(text)).toBe(epoch));

  it.each([undefined, '', '0', '01', '-1', '1.0', '1e3', ' 1', '9007199254740992', '99999999999999999', ['1']])(
    'has no epoch as %j',
    (text) => expect(parseEpoch(text)).toBeUndefined(),
  );

  it.each([
    [null, 0],
    ['0', 0],
    ['7', 7000],
    ['31', 30_000],
    ['999999', 30_000],
  ])('is held for as long as %j says, at most 30 s', (text, waitMs) => {
    expect(parseFateWait(text)).toEqual({ type: 'read', value: waitMs });
  });

  it.each(['', '-1', '1s', '1.5'])('is not held for %j', (text) => {
    expect(parseFateWait(text)).toMatchObject({ type: 'wrong' });
  });

  it.each(['waiting', 'ended'] as const)('is answered with the fate %s', (fate) => {
    expect(parseFate(encodeFate(fate))).toEqual({ type: 'read', value: fate });
    expect(parseFate('{"fate":"x"}')).toMatchObject({ type: 'wrong' });
  });
});
