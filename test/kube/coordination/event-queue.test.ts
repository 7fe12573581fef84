import { describe, expect, it } from 'vitest';
import type { EventSubject, RecordedEvent } from '../../../src/kube/coordination/event-object.ts';
import { EventQueue } from '../../../src/kube/coordination/event-queue.ts';

const pod: EventSubject = { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'hooklet-1' };
const widget = (name: string): EventSubject => ({ apiVersion: 'e/v1', kind: 'Widget', namespace: 'default', name });
const event = (message: string): RecordedEvent => ({ type: 'Normal', reason: 'Said', message });

/** Takes all Events that may be sent at this time. */
function taken(queue: EventQueue, nowMs: number): readonly string[] {
  const messages: string[] = [];
  while (queue.waitMs(nowMs) === 0) messages.push(queue.next(nowMs)?.event.message ?? 'none');
  return messages;
}

function fill(queue: EventQueue, subject: EventSubject, count: number): void {
  for (let number = 0; number < count; number += 1) queue.add(event(`${number}`), subject, 0);
}

describe('the Events that wait', () => {
  it('about one object: 25 at once, and then one in 5 minutes', () => {
    const queue = new EventQueue(pod);
    fill(queue, widget('a'), 30);

    expect(taken(queue, 0)).toHaveLength(25);
    expect(queue.waitMs(0)).toBe(300_000);
    expect(taken(queue, 299_999)).toEqual([]);
    expect(taken(queue, 300_000)).toEqual(['25']);
    expect(taken(queue, 900_000)).toEqual(['26', '27']);
  });

  it('about the own Pod: 25 at once, and then one in 10 seconds', () => {
    const queue = new EventQueue(pod);
    fill(queue, pod, 30);

    expect(taken(queue, 0)).toHaveLength(25);
    expect(queue.waitMs(0)).toBe(10_000);
  });

  it('about an object with many hold up those of no other', () => {
    const queue = new EventQueue(pod);
    fill(queue, widget('a'), 100);
    taken(queue, 0);
    queue.add(event('of b'), widget('b'), 0);

    expect(taken(queue, 0)).toEqual(['of b']);
  });

  it('about two objects take turns', () => {
    const queue = new EventQueue(pod);
    for (const name of ['a', 'b']) {
      for (const number of [1, 2]) queue.add(event(`${name}${number}`), widget(name), 0);
    }

    expect(taken(queue, 0)).toEqual(['a1', 'b1', 'a2', 'b2']);
  });

  it('count up when they are repeated', () => {
    const queue = new EventQueue(pod);
    for (const atMs of [0, 10, 20]) queue.add(event('again'), widget('a'), atMs);

    expect(queue.size).toBe(1);
    expect(queue.next(30)).toMatchObject({ count: 3, firstAtMs: 0, lastAtMs: 20 });
  });

  it('are at most 100 about one object, and 1000 in all, the newest', () => {
    const queue = new EventQueue(pod);
    fill(queue, widget('a'), 150);
    expect(queue.size).toBe(100);
    expect(queue.takeAny()?.event.message).toBe('50');

    queue.add(event('of the pod'), pod, 0);
    for (let number = 0; number < 5000; number += 1) queue.add(event('one'), widget(`w${number}`), 0);
    expect(queue.size).toBe(1000);
    const messages = Array.from({ length: 1000 }, () => queue.takeAny()?.event.message);
    expect(messages).toContain('of the pod');
    expect(queue.size).toBe(0);
  });

  it.each([
    { others: 1999, waitMs: 300_000 },
    { others: 2000, waitMs: 0 },
  ])('are limited until $others objects were used since: $waitMs', ({ others, waitMs }) => {
    const queue = new EventQueue(pod);
    fill(queue, widget('a'), 25);
    taken(queue, 0);
    for (let number = 0; number < others; number += 1) {
      queue.add(event('one'), widget(`w${number}`), 0);
      taken(queue, 0);
    }

    queue.add(event('one more'), widget('a'), 0);

    expect(queue.waitMs(0)).toBe(waitMs);
  });
});
