import { describe, expect, it } from 'vitest';
import { parseFree, parseWait, parseWorkPath, workPath, type WorkPath } from '../../src/hook/work-path.ts';

const worker = 'A-z_09';
const runId = '018f2c3a-1111-7222-8333-444444444444';

describe('the path of what a worker asks', () => {
  it.each<readonly [string, WorkPath]>([
    ['/v1/workers', { type: 'hello' }],
    ['/v1/workers/A-z_09', { type: 'leave', worker }],
    ['/v1/workers/A-z_09/beat', { type: 'beat', worker }],
    ['/v1/workers/A-z_09/ends', { type: 'ends', worker }],
    ['/v1/workers/A-z_09/claim', { type: 'claim', worker }],
    [`/v1/workers/A-z_09/runs/${runId}/contexts`, { type: 'contexts', worker, runId }],
    [`/v1/workers/A-z_09/runs/${runId}/output`, { type: 'output', worker, runId }],
    [`/v1/workers/A-z_09/runs/${runId}/result`, { type: 'result', worker, runId }],
    ['/v1/workers/runs/runs/runs/result', { type: 'result', worker: 'runs', runId: 'runs' }],
    [`/v1/workers/${'a'.repeat(64)}/beat`, { type: 'beat', worker: 'a'.repeat(64) }],
  ])('is %s, and is read as it was written', (path, asked) => {
    expect(workPath(asked)).toBe(path);
    expect(parseWorkPath(path)).toEqual(asked);
  });

  it.each([
    '',
    '/',
    '/v1/workers/',
    '/v1/workers//beat',
    '/v1/workers/a/',
    '/v1/workers/a/beat/',
    '/v1/workers/a/x',
    '/v1/workers/a/Beat',
    '/v1/workers/a/result',
    '/v1/workers/a/runs',
    '/v1/workers/a/runs/b',
    '/v1/workers/a/runs//result',
    '/v1/workers/a/runs/b/beat',
    '/v1/workers/a/runs/b/result/x',
    '/v1/workers/a%2fb/beat',
    '/v1/workers/a.b/beat',
    '/v1/workers/a\n',
    '/v1/workers/a/beat\n',
    'x/v1/workers/a/beat',
    `/v1/workers/${'a'.repeat(65)}/beat`,
    `/v1/workers/a/runs/${'b'.repeat(65)}/result`,
  ])('is not %j', (path) => expect(parseWorkPath(path)).toBeUndefined());
});

describe('a query of a worker', () => {
  it.each([
    ['', 0],
    ['wait=0', 0],
    ['wait=7', 7000],
    ['wait=30', 30_000],
    ['wait=31', 30_000],
    ['wait=999999', 30_000],
  ])('%j waits for %i ms, at most 30 s', (query, waitMs) => {
    expect(parseWait(new URLSearchParams(query))).toEqual({ type: 'read', value: waitMs });
  });

  it.each(['', '-1', '1s', '1.5', '1e3', ' 1', '9999999'])('has no wait as %j', (wait) => {
    expect(parseWait(new URLSearchParams({ wait }))).toEqual({
      type: 'wrong',
      problem: `the query: wait: got ${JSON.stringify(wait)}, expected a whole number of seconds`,
    });
  });

  it.each([1, 2, 256])('has room for %i runs', (free) => {
    expect(parseFree(new URLSearchParams({ free: `${free}` }))).toEqual({ type: 'read', value: free });
  });

  it.each(['', '0', '257', '-1', 'x', '1.5', '99999999'])('has no number of runs as %j', (free) => {
    expect(parseFree(new URLSearchParams({ free }))).toEqual({
      type: 'wrong',
      problem: `the query: free: got ${JSON.stringify(free)}, expected a whole number from 1 to 256`,
    });
  });

  it('without a number of runs says so', () => {
    expect(parseFree(new URLSearchParams())).toMatchObject({ problem: expect.stringContaining('free: got nothing') });
  });
});
