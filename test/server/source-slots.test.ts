import { expect, it } from 'vitest';
import { RequestSlots } from '../../src/server/request-slots.ts';
import { SourceSlots } from '../../src/server/source-slots.ts';

it('the slots of strangers are not all for one client, and each is given back once', () => {
  const slots = new SourceSlots({ maxRequests: 3, maxBytes: 100, maxOfSource: 2 });
  const first = slots.take('a', 1);
  expect(slots.take('a', 1)).toBeDefined();
  expect(slots.take('a', 1)).toBeUndefined();
  expect(slots.take('b', 99)).toBeUndefined();
  expect(slots.take('b', 98)).toBeDefined();
  expect(slots.take('c', 0)).toBeUndefined();
  first?.();
  first?.();
  expect(slots.take('a', 1)).toBeDefined();
  expect(slots.take('a', 0)).toBeUndefined();
});

it('a client has no more bytes at a time than one may have, and has them again when it gives them back', () => {
  const slots = new SourceSlots({ maxRequests: 10, maxOfSource: 5, maxBytesOfSource: 100 });
  const first = slots.take('a', 60);
  const second = slots.take('a', 40);
  expect(slots.take('a', 1)).toBeUndefined();
  expect(slots.take('a', 0)).toBeDefined();
  expect(slots.take('b', 100)).toBeDefined();
  second?.();
  expect(slots.take('a', 41)).toBeUndefined();
  first?.();
  expect(slots.take('a', 100)).toBeDefined();
});

it('slots that are taken of those of others are given back to them', () => {
  const shared = new RequestSlots({ maxRequests: 2, maxBytes: 10 });
  const one = new SourceSlots({ maxRequests: Infinity, maxOfSource: 1 }, shared);
  const other = new SourceSlots({ maxRequests: Infinity, maxOfSource: 2 }, shared);
  const first = one.take('a', 4);
  expect(other.take('a', 7)).toBeUndefined();
  expect(other.take('a', 6)).toBeDefined();
  expect(other.take('a', 0)).toBeUndefined();
  first?.();
  expect(other.take('a', 4)).toBeDefined();
});
