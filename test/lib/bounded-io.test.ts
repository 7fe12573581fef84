import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { BoundedIo } from '../../src/lib/bounded-io.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

it('gives a call up at its limit, and begins no other until that call has ended', async () => {
  const io = new BoundedIo('file x', 10_000);
  const { promise, resolve } = Promise.withResolvers<string>();
  const begun: string[] = [];
  const other = async () => void begun.push('other');
  const first = io.run(async () => promise);
  const given = expect(first).rejects.toThrow('file x did not answer within 10 s');
  await vi.advanceTimersByTimeAsync(10_000);
  await given;

  await expect(io.run(other)).rejects.toThrow('file x has not answered an earlier request yet');
  resolve('late');
  await vi.advanceTimersByTimeAsync(0);
  await io.run(other);

  expect(begun).toEqual(['other']);
});

it('returns what a call returns, and goes on after one that fails', async () => {
  const io = new BoundedIo('file x', 10_000);

  expect(await io.run(async () => 1)).toBe(1);
  const failing = io.run(async () => {
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await io.run(async () => 2)).toBe(2);
});
