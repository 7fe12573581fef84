import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventTrigger } from '../../src/hook/trigger.ts';
import { MAX_HELD, OwnStatusWrites } from '../../src/units/own-status-writes.ts';
import { kubernetesBinding } from '../support/bindings.ts';

const web = { namespace: 'default', name: 'web' };

function event(after: number, before: number | undefined, fields: Partial<EventTrigger> = {}): EventTrigger {
  return {
    type: 'event',
    binding: kubernetesBinding('widgets'),
    watchEvent: 'Modified',
    item: web,
    resourceVersion: String(after),
    ...(before !== undefined && { previousVersion: String(before) }),
    ...fields,
  };
}

function rig() {
  const delivered: (string | undefined)[] = [];
  const dropped: (string | undefined)[] = [];
  const writes = new OwnStatusWrites({
    deliver: ({ resourceVersion }) => void delivered.push(resourceVersion),
    onDropped: ({ resourceVersion }) => void dropped.push(resourceVersion),
  });
  return { writes, delivered, dropped };
}

describe('the event of a status that was written for the hook', () => {
  it('does not run the hook when it comes before the answer', () => {
    const { writes, delivered, dropped } = rig();
    const end = writes.begin(web);
    writes.receive(event(8, 7));
    expect(delivered).toEqual([]);

    end({ before: '7', after: '8' });

    expect([delivered, dropped]).toEqual([[], ['8']]);
  });

  it('does not run the hook when it comes after the answer', () => {
    const { writes, delivered, dropped } = rig();
    writes.begin(web)({ before: '7', after: '8' });

    writes.receive(event(8, 7));

    expect([delivered, dropped]).toEqual([[], ['8']]);
  });

  it('does not run the hook when two requests were needed, each with an event', () => {
    const { writes, delivered, dropped } = rig();
    const end = writes.begin(web);
    writes.receive(event(8, 7));

    end({ before: '7', between: '8', after: '9' });
    writes.receive(event(9, 8));

    expect([delivered, dropped]).toEqual([[], ['8', '9']]);
  });

  it('does not run the hook in another binding of it', () => {
    const { writes, delivered, dropped } = rig();
    writes.begin(web)({ before: '7', after: '8' });

    writes.receive(event(8, 7));
    writes.receive(event(8, 7, { binding: kubernetesBinding('widgets-too') }));

    expect([delivered, dropped]).toEqual([[], ['8', '8']]);
  });

  it('runs the hook when the binding has not seen the version right before', () => {
    const { writes, delivered } = rig();
    writes.begin(web)({ before: '7', after: '8' });

    writes.receive(event(8, 6));

    expect(delivered).toEqual(['8']);
  });

  it('runs the hook when a relist brought it, since that may hide another change', () => {
    const { writes, delivered } = rig();
    writes.begin(web)({ before: '7', after: '8' });

    writes.receive(event(8, undefined));

    expect(delivered).toEqual(['8']);
  });

  it('does not run the hook when it stands for two writes at once', () => {
    const { writes, delivered, dropped } = rig();
    writes.begin(web)({ before: '7', after: '8' });
    writes.begin(web)({ before: '8', after: '9' });

    writes.receive(event(9, 7));

    expect([delivered, dropped]).toEqual([[], ['9']]);
  });
});

describe('other events', () => {
  it('of the object wait for the answer and keep their order', () => {
    const { writes, delivered, dropped } = rig();
    const end = writes.begin(web);
    writes.receive(event(7, 6));
    writes.receive(event(8, 7));
    writes.receive(event(9, 8));

    end({ before: '7', after: '8' });

    expect([delivered, dropped]).toEqual([['7', '9'], ['8']]);
  });

  it('wait until all writes of the object have ended', () => {
    const { writes, delivered } = rig();
    const [first, second] = [writes.begin(web), writes.begin(web)];
    writes.receive(event(7, 6));
    first();
    first();
    expect(delivered).toEqual([]);

    second();

    expect(delivered).toEqual(['7']);
  });

  it('of other objects do not wait', () => {
    const { writes, delivered } = rig();
    writes.begin(web);

    writes.receive(event(7, 6, { item: { namespace: 'default', name: 'other' } }));

    expect(delivered).toEqual(['7']);
  });

  it('are all delivered when the write failed', () => {
    const { writes, delivered } = rig();
    const end = writes.begin(web);
    writes.receive(event(8, 7));

    end();

    expect(delivered).toEqual(['8']);
  });

  it(`go ahead when more than ${MAX_HELD} wait`, () => {
    const { writes, delivered } = rig();
    const end = writes.begin(web);
    const versions = Array.from({ length: MAX_HELD + 20 }, (_, index) => index + 1);
    for (const version of versions) writes.receive(event(version, version - 1));
    expect(writes.held).toBe(0);

    end();

    expect(delivered).toEqual(versions.map(String));
  });
});

describe('whatever is written, by whomever, and whenever answers and events arrive', () => {
  it('every change of others is delivered, and no own one', () => {
    const step = fc.record({ isOwn: fc.boolean(), lag: fc.nat({ max: 3 }), answerLag: fc.nat({ max: 3 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const { writes, delivered, dropped } = rig();
        // Each version is written at the time of its number; its event and its answer come later.
        const agenda: { readonly at: number; readonly order: number; readonly act: () => void }[] = [];
        let seen = 0;
        let eventAt = 0;
        for (const [index, { isOwn, lag, answerLag }] of steps.entries()) {
          const version = index + 1;
          if (isOwn) {
            let end: ReturnType<typeof writes.begin> | undefined;
            agenda.push({ at: version, order: 0, act: () => (end = writes.begin(web)) });
            const answer = (): void => end?.({ before: String(version - 1), after: String(version) });
            agenda.push({ at: version + answerLag, order: 2, act: answer });
          }
          // A watch keeps the order.
          eventAt = Math.max(eventAt, version + lag);
          const arrive = (): void => {
            writes.receive(event(version, seen));
            seen = version;
          };
          agenda.push({ at: eventAt, order: 1, act: arrive });
        }
        const inTime = agenda.map((entry, index) => ({ ...entry, index }));
        for (const { act } of inTime.toSorted((a, b) => a.at - b.at || a.order - b.order || a.index - b.index)) act();

        const own = steps.flatMap(({ isOwn }, index) => (isOwn ? [String(index + 1)] : []));
        const others = steps.flatMap(({ isOwn }, index) => (isOwn ? [] : [String(index + 1)]));
        expect(dropped).toEqual(own);
        expect(delivered).toEqual(others);
        expect(writes.held).toBe(0);
      }),
    );
  });
});
