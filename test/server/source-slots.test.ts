import { expect, it } from 'vitest';
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
