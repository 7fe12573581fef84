import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SnapshotItem } from '../../../src/hook/trigger.ts';
import { LateViews, type SeenStep } from '../../../src/sources/kubernetes/late-views.ts';

const told = ({ type, name, item }: SeenStep): string =>
  `${type} ${name}${item === undefined ? '' : ` ${item.filterResult}`}`;
const itemOf = (name: string, filterResult: string): SnapshotItem => ({ namespace: 'shop', name, filterResult });

function rig() {
  const steps: string[] = [];
  const views = new LateViews((step) => steps.push(told(step)));
  const take = (type: 'put' | 'delete', name: string, look?: () => SnapshotItem | Promise<SnapshotItem>): void => {
    const seen = views.take({ type, namespace: 'shop', name, ...(look === undefined ? {} : { view: look }) });
    if (seen !== undefined) steps.push(told(seen));
  };
  return { steps, views, take };
}

/** A view that ends when `end` is called. */
function later(name: string, result: string) {
  const { promise, resolve } = Promise.withResolvers<SnapshotItem>();
  return { look: () => promise, end: () => resolve(itemOf(name, result)) };
}

const settled = async (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

describe('LateViews', () => {
  it('lets other objects go ahead of one that takes long', async () => {
    const { steps, take } = rig();
    const slow = later('slow', '1');
    take('put', 'slow', slow.look);
    take('put', 'quick', () => itemOf('quick', '1'));
    slow.end();
    await settled();

    expect(steps).toEqual(['put quick 1', 'put slow 1']);
  });

  it('keeps the order of one object', async () => {
    const { steps, take } = rig();
    const slow = later('a', '1');
    take('put', 'a', slow.look);
    take('delete', 'a', () => itemOf('a', '2'));
    take('put', 'a', () => itemOf('a', '3'));
    slow.end();
    await settled();

    expect(steps).toEqual(['put a 1', 'delete a 2', 'put a 3']);
  });

  it('of 1,000 states that wait looks at the newest alone', async () => {
    const { steps, take } = rig();
    const slow = later('a', 'first');
    let looks = 0;
    take('put', 'a', slow.look);
    for (let state = 0; state < 1000; state += 1) {
      take('put', 'a', () => {
        looks += 1;
        return itemOf('a', `${state}`);
      });
    }
    slow.end();
    await settled();

    expect(steps).toEqual(['put a first', 'put a 999']);
    expect(looks).toBe(1);
  });

  it('tells nothing of what was cleared', async () => {
    const { steps, take, views } = rig();
    const slow = later('a', '1');
    take('put', 'a', slow.look);
    views.clear();
    take('put', 'a', () => itemOf('a', '2'));
    slow.end();
    await settled();

    expect(steps).toEqual(['put a 2']);
  });

  it('ends in the state that was last, whatever came in between and however long each look took', async () => {
    const change = fc.record({ isDeletion: fc.boolean(), isLate: fc.boolean(), name: fc.constantFrom('a', 'b') });
    await fc.assert(
      fc.asyncProperty(fc.array(change), async (changes) => {
        const state = new Map<string, string>();
        const apply = ({ type, name, item }: SeenStep): void => {
          if (type === 'put') state.set(name, item?.filterResult ?? '');
          else state.delete(name);
        };
        const views = new LateViews(apply);
        const expected = new Map<string, string>();
        for (const [index, { isDeletion, isLate, name }] of changes.entries()) {
          const item = itemOf(name, String(index));
          const look = () => (isLate ? Promise.resolve(item) : item);
          const seen = views.take({ type: isDeletion ? 'delete' : 'put', namespace: 'shop', name, view: look });
          if (seen !== undefined) apply(seen);
          if (isDeletion) expected.delete(name);
          else expected.set(name, String(index));
          if (index % 3 === 0) await Promise.resolve();
        }
        await settled();
        expect(Object.fromEntries(state)).toEqual(Object.fromEntries(expected));
      }),
    );
  });
});

describe('a step that replaces a waiting one', () => {
  it('follows the state before that one', async () => {
    const seen: SeenStep[] = [];
    const views = new LateViews((step) => void seen.push(step));
    const slow = later('a', '1');
    const put = { type: 'put', namespace: 'shop', name: 'a' } as const;
    const quick = () => itemOf('a', '2');
    views.take({ ...put, resourceVersion: '1', view: slow.look });
    views.take({ ...put, resourceVersion: '2', previousVersion: '1', view: quick });
    views.take({ ...put, resourceVersion: '3', previousVersion: '2', view: quick });
    slow.end();
    await settled();

    expect(seen.at(-1)).toMatchObject({ resourceVersion: '3', previousVersion: '1' });
  });

  it('does not say what it follows where a list brought that', async () => {
    const seen: SeenStep[] = [];
    const views = new LateViews((step) => void seen.push(step));
    const slow = later('a', '1');
    const put = { type: 'put', namespace: 'shop', name: 'a' } as const;
    views.take({ ...put, view: slow.look });
    views.take({ ...put, view: () => itemOf('a', '2') });
    views.take({ ...put, resourceVersion: '3', previousVersion: '2', view: () => itemOf('a', '3') });
    slow.end();
    await settled();

    expect(seen.at(-1)?.resourceVersion).toBe('3');
    expect(seen.at(-1)?.previousVersion).toBeUndefined();
  });
});
