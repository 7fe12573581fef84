import { describe, expect, it } from 'vitest';
import { handOut, type FreeWorker } from '../../../src/runner/work/hand-out.ts';

function worker(name: string, fields: Partial<FreeWorker> = {}): FreeWorker {
  return { worker: name, capacity: 4, held: 0, free: 4, sinceMs: 0, ...fields };
}

describe('handOut', () => {
  it.each<[title: string, workers: readonly FreeWorker[], runs: readonly string[], expected: readonly string[]]>([
    ['nothing to nobody', [], ['1'], []],
    ['nothing where nothing waits', [worker('a')], [], []],
    ['first what waits longest', [worker('a', { free: 2 })], ['1', '2', '3'], ['1 a', '2 a']],
    ['to the worker with the smallest share in use', [worker('a', { held: 1 }), worker('b')], ['1'], ['1 b']],
    [
      'by the share, not the number',
      [worker('a', { held: 1, capacity: 2 }), worker('b', { held: 3, capacity: 10 })],
      ['1'],
      ['1 b'],
    ],
    ['in turn to equal workers', [worker('a'), worker('b')], ['1', '2', '3'], ['1 a', '2 b', '3 a']],
    ['of equal workers to that which waits longest', [worker('a', { sinceMs: 2 }), worker('b')], ['1'], ['1 b']],
    ['no more than a worker has room for', [worker('a', { capacity: 2, held: 1, free: 9 })], ['1', '2'], ['1 a']],
    ['nothing to a full worker', [worker('a', { capacity: 1, held: 1 })], ['1'], []],
    ['nothing to a worker that asks for none', [worker('a', { free: 0 })], ['1'], []],
  ])('hands out %s', (_, workers, runs, expected) => {
    expect(handOut(workers, runs).map(({ run, worker: to }) => `${run} ${to}`)).toEqual(expected);
  });
});
