import { describe, expect, it } from 'vitest';
import type { AppliedOperation } from '../../src/effects/apply-operations.ts';
import type { PatchOperation } from '../../src/effects/operation.ts';
import type { EventTrigger } from '../../src/hook/trigger.ts';
import { OwnWrites, type Loop } from '../../src/units/own-writes.ts';
import { kubernetesBinding } from '../support/bindings.ts';

const binding = kubernetesBinding('maps');

function event(name: string, resourceVersion: number): EventTrigger {
  return {
    type: 'event',
    binding,
    watchEvent: 'Modified',
    item: { namespace: 'default', name },
    resourceVersion: String(resourceVersion),
  };
}

/** A hook and the server it writes to: each write takes the next resourceVersion. */
function hookRig() {
  let nowMs = 0;
  let version = 100;
  const writes = new OwnWrites(() => nowMs);
  return {
    writes,
    wait: (ms: number): void => {
      nowMs += ms;
    },
    /** A run that writes the time into an object; returns the loop, if any, and the event of the write. */
    run: (triggers: readonly EventTrigger[], name: string, isChange = true) => {
      version += isChange ? 1 : 0;
      const operation: PatchOperation = {
        operation: 'MergePatch',
        target: { kind: 'configmaps' },
        namespace: 'default',
        name,
        mergePatch: { data: { time: `${version}`, same: 'yes' } },
        ignoreMissingObject: false,
        ignoreHookError: false,
      };
      const applied: AppliedOperation = {
        index: 1,
        operation: 'MergePatch',
        target: `v1/ConfigMap/default/${name}`,
        change: isChange ? 'patched' : 'unchanged',
        resourceVersion: String(version),
      };
      return { loop: writes.note(triggers, operation, applied), event: event(name, version) };
    },
  };
}

describe('a hook that changes what it watches', () => {
  it('is told after 10 runs that only its own writes caused, with the object and the fields that differ', () => {
    const { run } = hookRig();
    let cause = event('web', 1);
    const loops: (Loop | undefined)[] = [];
    for (let turn = 0; turn < 12; turn++) {
      const { loop, event: next } = run([cause], 'web');
      loops.push(loop);
      cause = next;
    }

    expect(loops.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => undefined));
    expect(loops[10]).toEqual({ object: 'v1/ConfigMap/default/web', turns: 11, fields: ['data.time'] });
    expect(loops[11]).toMatchObject({ turns: 12 });
  });

  it('waits for its next event 100 ms then, twice as long each time, and 30 s at most', () => {
    const { run, writes, wait } = hookRig();
    let cause = event('web', 1);
    const delays: number[] = [];
    for (let turn = 0; turn < 22; turn++) {
      cause = run([cause], 'web').event;
      delays.push(writes.delayOf(cause));
      wait(delays.at(-1) ?? 0);
    }

    expect(delays.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 0));
    expect(delays.slice(10)).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000, 30_000]);
  });

  it('is no loop where somebody else changes the object each time', () => {
    const { run } = hookRig();
    for (let turn = 0; turn < 30; turn++) expect(run([event('web', turn)], 'web').loop).toBeUndefined();
  });

  it('is no loop where it writes nothing new in the end', () => {
    const { run, writes } = hookRig();
    for (let object = 0; object < 30; object++) {
      const first = run([event(`web-${object}`, 1)], `web-${object}`);
      const second = run([first.event], `web-${object}`, false);

      expect([first.loop, second.loop]).toEqual([undefined, undefined]);
      expect(writes.delayOf(second.event)).toBe(0);
    }
  });

  it('is no loop where 10 s pass between a write and the one it causes', () => {
    const { run, wait } = hookRig();
    let cause = event('web', 1);
    for (let turn = 0; turn < 30; turn++) {
      const { loop, event: next } = run([cause], 'web');

      expect(loop).toBeUndefined();
      cause = next;
      wait(10_001);
    }
  });

  it('is a loop over two objects that it writes in turn', () => {
    const { run } = hookRig();
    let cause = event('a', 1);
    let loop: Loop | undefined;
    for (let turn = 0; turn < 11; turn++) ({ loop, event: cause } = run([cause], turn % 2 === 0 ? 'b' : 'a'));

    expect(loop?.turns).toBe(11);
  });

  it('is a loop also where events of others come into the same runs', () => {
    const { run } = hookRig();
    let cause = event('web', 1);
    let loop: Loop | undefined;
    for (let turn = 0; turn < 11; turn++) ({ loop, event: cause } = run([event('busy', turn), cause], 'web'));

    expect(loop?.turns).toBe(11);
  });

  it('is a loop over two objects that it writes in each run, though their events come one by one and late', () => {
    const { run } = hookRig();
    const waiting = [event('a', 1)];
    const loops = new Set<string>();
    for (let turn = 0; turn < 40; turn++) {
      const cause = waiting.shift();
      for (const name of cause === undefined ? [] : ['a', 'b']) {
        const { loop, event: next } = run(cause === undefined ? [] : [cause], name);
        if (loop !== undefined) loops.add(loop.object);
        waiting.push(next);
      }
    }

    expect([...loops].toSorted()).toEqual(['v1/ConfigMap/default/a', 'v1/ConfigMap/default/b']);
  });

  it.each([
    ['deletes and makes its object', 'web', true],
    ['makes a new object for each event of the last', 'web-', false],
  ])('is a loop where it %s', (_what, name, isDeleted) => {
    let version = 100;
    const writes = new OwnWrites(() => 0);
    const target = { kind: 'ConfigMap' };
    const about = { target, namespace: 'default', ignoreHookError: false };
    let causes: readonly EventTrigger[] = [event('web', 1)];
    let loop: Loop | undefined;
    for (let turn = 0; turn < 11; turn++) {
      const made = isDeleted ? name : `${name}${turn}`;
      if (isDeleted) {
        const operation: PatchOperation = { ...about, operation: 'Delete', name };
        writes.note(causes, operation, {
          index: 1,
          operation: 'Delete',
          target: `v1/ConfigMap/default/${name}`,
          change: 'deleted',
        });
      }
      version += 1;
      const operation: PatchOperation = { ...about, operation: 'Create', object: {}, ...(isDeleted && { name }) };
      const applied = { index: 2, operation: 'Create', target: 'v1/ConfigMap/default/x', change: 'created' } as const;
      loop = writes.note(causes, operation, { ...applied, resourceVersion: String(version), name: made });
      const gone: EventTrigger = { ...event(made, version), watchEvent: 'Deleted' };
      causes = [...(isDeleted ? [gone] : []), { ...event(made, version), watchEvent: 'Added' }];
    }

    expect(loop?.turns).toBe(11);
  });

  it('leaves events of other objects alone', () => {
    const { run, writes } = hookRig();
    let cause = event('web', 1);
    for (let turn = 0; turn < 15; turn++) cause = run([cause], 'web').event;

    expect(writes.delayOf(event('other', 7))).toBe(0);
    expect(writes.delayOf(cause)).toBeGreaterThan(0);
  });
});
