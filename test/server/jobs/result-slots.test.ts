import { expect, it } from 'vitest';
import { openResultSlots, MAX_RESULTS_BYTES } from '../../../src/server/jobs/result-slots.ts';

const MIB = 1024 * 1024;
const LARGEST = 64 * MIB;

it('3 of the largest results arrive at a time, of Jobs and workers together, and small ones beside them', () => {
  const { ofJob, ofWorker } = openResultSlots();
  const first = ofWorker.take('a', LARGEST);
  expect(ofWorker.take('b', LARGEST)).toBeDefined();
  expect(ofJob.take('c', LARGEST)).toBeDefined();
  expect(ofWorker.take('d', LARGEST)).toBeUndefined();
  expect(ofJob.take('e', LARGEST)).toBeUndefined();
  expect(ofWorker.take('d', 1000)).toBeDefined();
  expect(ofJob.take('e', 1000)).toBeDefined();
  first?.();
  expect(ofWorker.take('d', LARGEST)).toBeDefined();
});

it('a worker sends 256 small results at a time, but one of the largest, and a Job sends one', () => {
  const { ofJob, ofWorker } = openResultSlots();
  expect(ofWorker.take('a', LARGEST)).toBeDefined();
  expect(ofWorker.take('a', LARGEST)).toBeUndefined();
  const small = Array.from({ length: 256 }, () => ofWorker.take('a', 1000));
  expect(small.filter((slot) => slot !== undefined)).toHaveLength(255);
  expect(ofJob.take('b', 1000)).toBeDefined();
  expect(ofJob.take('b', 1000)).toBeUndefined();
});

it('results take no more than 225 MiB while they arrive', () => {
  const { ofWorker } = openResultSlots();
  let bytes = 0;
  for (const size of [LARGEST, 20 * MIB, MIB, 256 * 1024, 100_000, 1]) {
    for (let pod = 0; pod < 500; pod += 1) if (ofWorker.take(`${size} ${pod}`, size) !== undefined) bytes += size;
  }
  expect(bytes).toBeLessThanOrEqual(MAX_RESULTS_BYTES);
  expect(MAX_RESULTS_BYTES).toBeLessThanOrEqual(225 * MIB);
});
