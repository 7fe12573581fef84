import { describe, expect, it } from 'vitest';
import { RequestSlots } from '../../src/server/request-slots.ts';

describe('the slots of requests', () => {
  it('are taken and given back', () => {
    const slots = new RequestSlots({ maxRequests: 2 });
    const first = slots.take(0);
    expect([first, slots.take(0)]).not.toContain(undefined);
    expect(slots.take(0)).toBeUndefined();
    first?.();
    expect(slots.take(0)).toBeDefined();
  });

  it('have room for so many bytes together', () => {
    const slots = new RequestSlots({ maxRequests: 9, maxBytes: 10 });
    const large = slots.take(8);
    expect(slots.take(3)).toBeUndefined();
    expect(slots.take(2)).toBeDefined();
    large?.();
    expect(slots.take(8)).toBeDefined();
  });
});
