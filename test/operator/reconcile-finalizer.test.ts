import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Sandbox } from '@hooklet/sandbox';
import { sandboxForTest, textAt, textsAt } from '@hooklet/sandbox/testing';
import { finalizerOf } from '../../src/hook/reconcile-mark.ts';
import { newTask, queueOf, type Task } from '../../src/hook/task.ts';
import type { ReconcileReason, ReconcileTrigger } from '../../src/hook/trigger.ts';
import { createKinds } from '../../src/kube/discovery/kinds.ts';
import { createMetrics } from '../../src/metrics.ts';
import { EndableRuns } from '../../src/operator/runs/endable-runs.ts';
import { createReconciling } from '../../src/operator/reconcile/reconcile-effects.ts';
import { createQueueFactory } from '../../src/operator/queues/task-queue.ts';
import { Wishes } from '../../src/operator/queues/wishes.ts';
import { Queues } from '../../src/queue/queues.ts';
import type { RunOutcome } from '../../src/run/run.ts';
import type { ParentFacts } from '../../src/sources/reconcile/part-filters.ts';
import { idleReconciler } from '../support/idle-reconciler.ts';
import { kubernetesBinding, reconcileBinding } from '../support/bindings.ts';
import { sandboxClient } from '../support/children-rig.ts';
import { unitRig } from '../support/unit-rig.ts';

const MINUTE_MS = 60_000;
const MAPS = '/api/v1/namespaces/default/configmaps';
const COST = { durationMs: 1, usage: {} };
const FAILED: RunOutcome = { type: 'failed', by: 'hook', error: new Error('no'), cost: COST };
const binding = reconcileBinding('sites', { kind: 'ConfigMap', apiVersion: 'v1', finalize: true, parallelism: 1 });

beforeEach(() => {
  vi.useFakeTimers({ now: 0, toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** The runs of two objects, one at a time; the hook of `a` ends as `end` says. */
async function rig(end: () => RunOutcome) {
  const sandbox: Sandbox = await sandboxForTest();
  const client = sandboxClient(sandbox);
  const { hook, unit, stop } = unitRig('site.sh', [kubernetesBinding('pods')]);
  const facts = new Map<string, ParentFacts>();
  const see = async (name: string): Promise<void> => {
    const { code, body } = await sandbox.call('GET', `${MAPS}/${name}`);
    if (code === 404) facts.delete(name);
    else {
      const isDeleting = textAt(body, 'metadata', 'deletionTimestamp') !== '';
      const isMarked = textsAt(body, 'metadata', 'finalizers').includes(finalizerOf(binding));
      facts.set(name, { uid: textAt(body, 'metadata', 'uid'), isDeleting, isMarked });
    }
  };
  const reconciling = createReconciling({
    access: { client, kinds: createKinds(client) },
    journal: { record: () => {} },
    reconcilerOf: () => idleReconciler(binding, { facts: ({ name }) => facts.get(name) }),
  });
  const { signal } = new AbortController();
  const ran: (readonly [name: string, atMs: number])[] = [];
  const controller = new AbortController();
  const wishes: Wishes = new Wishes((task, trigger) => queues.get(queueOf(task.hook, trigger)).push(task));
  const factory = createQueueFactory({
    unitOf: () => unit,
    run: async (run) => {
      const [trigger] = run.task.triggers;
      const name = trigger.type === 'reconcile' ? trigger.name : '';
      await see(name);
      const ended = await reconciling.prepare(run, signal);
      if (ended !== undefined) return ended;
      await see(name);
      ran.push([name, Date.now()]);
      const result = { contexts: new Map(), conditions: [], events: [], finalized: true };
      const done: RunOutcome = { type: 'succeeded', cost: COST, applied: [], result };
      return reconciling.finish(run, name === 'a' ? end() : done, signal);
    },
    executor: { execute: async () => Promise.reject(new Error('not used')) },
    effects: {
      parse: async () => Promise.reject(new Error('not used')),
      parseAfterFailure: { patch: async () => [], metrics: async () => [] },
      apply: async () => [],
      applyMetrics: () => {},
      parseResult: async () => ({ warnings: [] }),
    },
    facts: () => undefined,
    endable: new EndableRuns(),
    terminate: signal,
    onStarted: () => {},
    journal: { record: () => {} },
    wishes,
    metrics: createMetrics(''),
  });
  const queues: Queues<Task> = new Queues(factory);
  const running = Promise.all([queues.run(controller.signal), wishes.run(controller.signal)]);
  return {
    sandbox,
    ran,
    look: (name: string, reason: ReconcileReason): void => {
      const trigger: ReconcileTrigger = { type: 'reconcile', binding, namespace: 'default', name, reason };
      queues.get(queueOf(hook, trigger)).push(newTask(hook, trigger, Date.now()));
    },
    stop: async () => {
      controller.abort();
      await Promise.all([running, vi.advanceTimersByTimeAsync(1000)]);
      await stop();
    },
  };
}

describe('an object that is deleted while its hook fails', () => {
  it('stays for an hour with its finalizer, holds up no other, and goes within 6 minutes when it is mended', async () => {
    let isMended = false;
    const finalized = { contexts: new Map(), conditions: [], events: [], finalized: true };
    const done: RunOutcome = { type: 'succeeded', cost: COST, applied: [], result: finalized };
    const { sandbox, ran, look, stop } = await rig(() => (isMended ? done : FAILED));
    const codeOf = async (): Promise<number> => (await sandbox.call('GET', `${MAPS}/a`)).code;
    for (const name of ['a', 'b']) {
      await sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } });
      look(name, 'start');
    }
    await vi.advanceTimersByTimeAsync(500);
    await sandbox.call('DELETE', `${MAPS}/a`);
    look('a', 'deleted');

    for (let minute = 1; minute <= 60; minute += 1) {
      await vi.advanceTimersByTimeAsync(MINUTE_MS);
      const askedMs = Date.now();
      look('b', 'changed');
      await vi.advanceTimersByTimeAsync(100);
      expect(ran.findLast(([name]) => name === 'b')?.[1]).toBeLessThan(askedMs + 100);
      expect(await codeOf()).toBe(200);
    }
    const times = ran.filter(([name]) => name === 'a').map(([, atMs]) => atMs);
    const waits = times.slice(2).map((atMs, at) => atMs - (times[at + 1] ?? 0));
    expect(Math.max(...waits)).toBeLessThan(6.1 * MINUTE_MS);
    expect(times.length).toBeGreaterThan(15);
    expect(times.length).toBeLessThan(40);

    isMended = true;
    await vi.advanceTimersByTimeAsync(6 * MINUTE_MS);

    expect(await codeOf()).toBe(404);
    await stop();
  });
});
