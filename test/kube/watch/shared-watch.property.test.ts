import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { createWatches } from '../../../src/kube/watch/shared-watches.ts';
import { createMetrics } from '../../../src/metrics.ts';
import { CONFIG_MAP } from '../../support/kube-objects.ts';
import { ModelKubeServer } from '../../support/model-kube-server.ts';
import { ObjectsView } from '../../support/objects-view.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { statusError } from '../../support/scripted-kube-client.ts';

const NAME = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const STEP = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('wait' as const), ms: fc.constantFrom(0, 10, 20, 30, 900, 5000) }),
  },
  { weight: 6, arbitrary: fc.record({ type: fc.constant('put' as const), name: NAME }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('delete' as const), name: NAME }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('recreate' as const), name: NAME }) },
  fc.record({
    type: fc.constantFrom('cut', 'end', 'refuse', 'compact', 'bookmark', 'subscribe', 'relist'),
  }),
);

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

it(
  'every view ends as the server is, and no object is seen out of order, whatever breaks meanwhile',
  { timeout: 300_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(STEP, { maxLength: 40 }),
        fc.record({ hasStreaming: fc.boolean(), expires: fc.constantFrom('answer', 'line') }),
        fc.constantFrom(0, 0.5, 0.999),
        async (steps, options, jitter) => {
          const server = new ModelKubeServer(options);
          const watches = createWatches({
            client: server.client(),
            kinds: { invalidate: () => {} },
            log: recordingLogger(),
            metrics: createMetrics(''),
            random: () => jitter,
          });
          const views: ObjectsView[] = [];
          const subscribe = () => {
            const view = new ObjectsView();
            views.push(view);
            return watches.subscribe({ kind: CONFIG_MAP }, view);
          };
          const first = subscribe();
          const subscriptions = [first];
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
            subscribe: () => subscriptions.push(subscribe()),
            relist: () => first.relist(),
            pass: () => vi.advanceTimersByTimeAsync(0),
            wait: () => vi.advanceTimersByTimeAsync(5000),
          };
          for (const step of steps) {
            if ('ms' in step) await vi.advanceTimersByTimeAsync(step.ms);
            else act[step.type]?.('name' in step ? step.name : '');
          }

          await vi.advanceTimersByTimeAsync(200_000);
          const requests = server.requests;
          await vi.advanceTimersByTimeAsync(100_000);

          expect(server.requests).toBe(requests);
          for (const view of views) expect(view.objects).toEqual(server.objects);
          for (const { unsubscribe } of subscriptions) unsubscribe();
          await vi.advanceTimersByTimeAsync(1000);
          await watches.ended();
        },
      ),
      { numRuns: 300 },
    );
  },
);
