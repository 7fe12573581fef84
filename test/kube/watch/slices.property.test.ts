import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { sliceOfText } from '../../../src/lib/slice-hash.ts';
import { createWatches } from '../../../src/kube/watch/shared-watches.ts';
import type { Slice } from '../../../src/kube/watch/slice.ts';
import { createMetrics } from '../../../src/metrics.ts';
import { CONFIG_MAP } from '../../support/kube-objects.ts';
import { ModelKubeServer } from '../../support/model-kube-server.ts';
import { ObjectsView } from '../../support/objects-view.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { statusError } from '../../support/scripted-kube-client.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];
const namespaceOf = (name: string): string => `${name} team`;

/** Slices by the namespaces, two of them of the same objects, of the first uids, and one that is empty. */
const SLICES: readonly (Slice | undefined)[] = [
  ...[...NAMES, 'a'].map((name) => ({ field: 'namespace', index: sliceOfText('fnv1a', namespaceOf(name)) }) as const),
  ...[1, 2, 3, 4].map((number) => ({ field: 'uid', index: sliceOfText('fnv1a', `${number}-u`) }) as const),
  { field: 'namespace', index: [...Array(64).keys()].find((index) => isEmpty(index)) ?? 0 },
  undefined,
];

function isEmpty(index: number): boolean {
  return NAMES.every((name) => sliceOfText('fnv1a', namespaceOf(name)) !== index);
}

const isOf = (slice: Slice | undefined) => (object: { readonly namespace: string; readonly uid: string }) =>
  slice === undefined || sliceOfText('fnv1a', object[slice.field]) === slice.index;

const NAME = fc.constantFrom(...NAMES);
const STEP = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('wait'), ms: fc.constantFrom(0, 10, 20, 30, 900, 5000) }) },
  { weight: 6, arbitrary: fc.record({ type: fc.constant('put'), name: NAME }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constantFrom('delete', 'recreate'), name: NAME }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constantFrom('add', 'remove'), slice: fc.nat(SLICES.length - 1) }) },
  fc.record({
    type: fc.constantFrom('cut', 'end', 'refuse', 'compact', 'bookmark', 'relist', 'stopDividing'),
  }),
);

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

it(
  'every view of a slice ends as the server is there, and sees nothing else, whether the server divides or not, and whatever breaks meanwhile',
  { timeout: 300_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(STEP, { maxLength: 60, size: 'max' }),
        fc.record({
          hasStreaming: fc.boolean(),
          expires: fc.constantFrom('answer', 'line'),
          divides: fc.constantFrom<boolean | 'with-another-echo'>(true, false, 'with-another-echo'),
        }),
        fc.constantFrom(0, 0.5, 0.999),
        async (steps, options, jitter) => {
          const server = new ModelKubeServer({ ...options, namespaceOf });
          const watches = createWatches({
            sliceHash: 'fnv1a',
            client: server.client(),
            kinds: { invalidate: () => {} },
            log: recordingLogger(),
            metrics: createMetrics(''),
            random: () => jitter,
          });
          const views = new Map<number, { readonly view: ObjectsView; readonly leave: () => void; relist(): void }>();
          const add = (number: number): void => {
            if (views.has(number)) return;
            const slice = SLICES[number];
            const view = new ObjectsView(isOf(slice));
            const target = { kind: CONFIG_MAP, ...(slice !== undefined && { slice }) };
            const { unsubscribe, relist } = watches.subscribe(target, view);
            views.set(number, { view, leave: unsubscribe, relist });
          };
          const remove = (number: number): void => {
            views.get(number)?.leave();
            views.delete(number);
          };
          for (const number of [0, 1, 7]) add(number);
          const act: Readonly<Record<string, (name: string) => unknown>> = {
            put: (name) => server.put(name),
            delete: (name) => server.delete(name),
            recreate: (name) => {
              server.delete(name);
              server.put(name);
            },
            cut: () => server.hangUp(statusError(0)),
            end: () => server.hangUp(),
            refuse: () => server.hangUp(statusError(500)),
            compact: () => server.compact(),
            bookmark: () => server.bookmark(),
            stopDividing: () => server.stopDividing(),
            relist: () => views.values().next().value?.relist(),
          };
          for (const step of steps) {
            if ('ms' in step) await vi.advanceTimersByTimeAsync(step.ms);
            else if ('slice' in step) (step.type === 'add' ? add : remove)(step.slice);
            else act[step.type]?.('name' in step ? step.name : '');
          }

          await vi.advanceTimersByTimeAsync(200_000);
          const requests = server.requests;
          await vi.advanceTimersByTimeAsync(100_000);

          expect(server.requests).toBe(requests);
          for (const [number, { view, leave }] of views) {
            expect(view.objects).toEqual(server.objectsOf(isOf(SLICES[number])));
            leave();
          }
          await vi.advanceTimersByTimeAsync(1000);
          await watches.ended();
        },
      ),
      { numRuns: 500 },
    );
  },
);
