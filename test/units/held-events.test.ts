import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EventTrigger } from '../../src/hook/trigger.ts';
import { HeldEvents } from '../../src/units/held-events.ts';
import { kubernetesBinding } from '../support/bindings.ts';

const binding = kubernetesBinding('pods');
const event = (name: string, resourceVersion: string): EventTrigger => ({
  type: 'event',
  binding,
  watchEvent: 'Modified',
  item: { namespace: 'default', name },
  resourceVersion,
});

function rig() {
  const delivered: (string | undefined)[] = [];
  const held = new HeldEvents(({ resourceVersion }) => delivered.push(resourceVersion));
  const ended = new AbortController();
  return { delivered, held, ended };
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe('an event that is held back', () => {
  it('is delivered after its 200 ms, and others at once', async () => {
    const { delivered, held, ended } = rig();
    held.receive(event('slow', '1'), 200, ended.signal);
    held.receive(event('other', '2'), 0, ended.signal);

    await vi.advanceTimersByTimeAsync(199);
    expect(delivered).toEqual(['2']);

    await vi.advanceTimersByTimeAsync(1);
    expect(delivered).toEqual(['2', '1']);
    expect(held.size).toBe(0);
  });

  it('goes before a later one of its object', async () => {
    const { delivered, held, ended } = rig();
    held.receive(event('slow', '1'), 200, ended.signal);
    held.receive(event('slow', '2'), 0, ended.signal);

    expect(delivered).toEqual(['1', '2']);

    await vi.advanceTimersByTimeAsync(1000);
    expect(delivered).toEqual(['1', '2']);
  });

  it('goes when a later one of its object is held in its place, which keeps its own delay', async () => {
    const { delivered, held, ended } = rig();
    held.receive(event('slow', '1'), 200, ended.signal);
    await vi.advanceTimersByTimeAsync(150);
    held.receive(event('slow', '2'), 200, ended.signal);

    expect(delivered).toEqual(['1']);

    await vi.advanceTimersByTimeAsync(199);
    expect(delivered).toEqual(['1']);
    await vi.advanceTimersByTimeAsync(1);
    expect(delivered).toEqual(['1', '2']);
  });

  it('is dropped when the hook ends, and leaves no timer', async () => {
    const { delivered, held, ended } = rig();
    held.receive(event('slow', '1'), 200, ended.signal);
    ended.abort();
    await vi.advanceTimersByTimeAsync(1000);

    expect(delivered).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
