import { expect, it } from 'vitest';
import { KubeError } from '../../../src/errors.ts';
import { insist } from '../src/api.ts';

it('what is insisted on is given up when its time is over, also in the middle of a request', async () => {
  const end = new AbortController();
  const tries: string[] = [];

  await insist(async () => {
    tries.push('again');
    if (tries.length === 1) throw new KubeError('busy', { status: 503, reason: 'ServiceUnavailable' });
    end.abort();
    end.signal.throwIfAborted();
  }, end.signal);

  expect(tries).toEqual(['again', 'again']);
});

it('what the server finds wrong is told', async () => {
  const invalid = new KubeError('invalid', { status: 422, reason: 'Invalid' });

  await expect(insist(async () => Promise.reject(invalid), new AbortController().signal)).rejects.toBe(invalid);
});
