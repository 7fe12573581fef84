import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EventTrigger } from '../../src/hook/trigger.ts';
import { SettledEvents } from '../../src/units/settled-events.ts';
import { kubernetesBinding } from '../support/bindings.ts';
import { eventOf, taskOf, unitRig } from '../support/unit-rig.ts';

const settle = { quietMs: 30_000, maxMs: 100_000 };
const pods = kubernetesBinding('pods', { settle });
const objects = kubernetesBinding('objects', { settle, concurrency: 'byObject' });
const plain = kubernetesBinding('plain');

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});

afterEach(() => {
  vi.useRealTimers();
});

function rig() {
  const delivered: string[] = [];
  const settled = new SettledEvents(({ item }) => void delivered.push(`${Date.now() / 1000} ${item.name}`));
  const ended = new AbortController();
  return {
    delivered,
    settled,
    ended,
    receive: (trigger: EventTrigger) => settled.receive(trigger, ended.signal),
  };
}

describe('events that settle', () => {
  it('are delivered in order when none came for 30 s', async () => {
    const { delivered, settled, receive } = rig();
    receive(eventOf(pods, 'a'));
    await vi.advanceTimersByTimeAsync(20_000);
    receive(eventOf(pods, 'b'));
    receive(eventOf(pods, 'a'));
    await vi.advanceTimersByTimeAsync(29_999);
    expect(settled.size).toBe(3);
    await vi.advanceTimersByTimeAsync(1);

    expect(delivered).toEqual(['50 a', '50 b', '50 a']);
    expect(settled.size).toBe(0);
  });

  it('are delivered after 100 s at the latest, and those after them are another burst', async () => {
    const { delivered, receive } = rig();
    for (let second = 0; second <= 120; second += 20) {
      receive(eventOf(pods, `${second}`));
      await vi.advanceTimersByTimeAsync(20_000);
    }
    await vi.advanceTimersByTimeAsync(30_000);

    expect(delivered.map((line) => line.split(' ').map(Number))).toEqual([
      [100, 0],
      [100, 20],
      [100, 40],
      [100, 60],
      [100, 80],
      [150, 100],
      [150, 120],
    ]);
  });

  it('hold those of no other object where each has its own order', async () => {
    const { delivered, receive } = rig();
    receive(eventOf(objects, 'a'));
    await vi.advanceTimersByTimeAsync(20_000);
    receive(eventOf(objects, 'b'));
    await vi.advanceTimersByTimeAsync(40_000);

    expect(delivered).toEqual(['30 a', '50 b']);
  });

  it('are delivered at once without the rule', () => {
    const { delivered, receive } = rig();
    receive(eventOf(plain, 'a'));

    expect(delivered).toEqual(['0 a']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are dropped when the hook ends, and leave no timer', async () => {
    const { delivered, receive, ended } = rig();
    receive(eventOf(pods, 'a'));
    ended.abort();
    await vi.advanceTimersByTimeAsync(200_000);

    expect(delivered).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('come after the Synchronization, which does not wait', async () => {
    const unit = unitRig('hook.sh', [pods]);
    unit.enable();
    expect(unit.queued()).toEqual(['main: Synchronization pods']);
    const synchronization = taskOf(unit.hook, { type: 'synchronization', binding: pods });
    unit.unit.begin(synchronization);
    unit.event(pods, 'a');
    unit.unit.finish(synchronization);
    unit.event(pods, 'b');
    await vi.advanceTimersByTimeAsync(30_000);

    expect(unit.queued()).toEqual(['main: pods/a', 'main: pods/b']);
    await unit.stop();
  });
});
