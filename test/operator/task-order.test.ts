import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Binding, Hook } from '../../src/hook/binding.ts';
import type { ContextResult, HookResult } from '../../src/hook/result.ts';
import { newTask, queueOf, type Task } from '../../src/hook/task.ts';
import type { QueuedTrigger, ReconcileReason } from '../../src/hook/trigger.ts';
import { createMetrics } from '../../src/metrics.ts';
import { EndableRuns } from '../../src/operator/runs/endable-runs.ts';
import { holdOf } from '../../src/operator/queues/queue-holds.ts';
import { createQueueFactory } from '../../src/operator/queues/task-queue.ts';
import { Wishes } from '../../src/operator/queues/wishes.ts';
import { Queues } from '../../src/queue/queues.ts';
import type { EndedPart } from '../../src/run/journal.ts';
import type { RunOutcome } from '../../src/run/run.ts';
import { kubernetesBinding, scheduleBinding, tickOf } from '../support/bindings.ts';
import { describeTask, eventOf, unitRig } from '../support/unit-rig.ts';

const retry = { onExhausted: 'dead' } as const;
const pods = kubernetesBinding('pods');
const ruled = kubernetesBinding('ruled', { retry: { ...retry, max: 3 } });
const byObject = kubernetesBinding('objects', { concurrency: 'byObject', parallelism: 2 });
const sites = {
  type: 'reconcile',
  name: 'sites',
  kind: 'Site',
  owns: [],
  watches: [],
  includeSnapshotsFrom: [],
  parallelism: 1,
  finalize: false,
  onHookChange: false,
  retry,
} as const satisfies Binding;

const COST = { durationMs: 1, usage: {} };
const FAILED: RunOutcome = { type: 'failed', by: 'hook', error: new Error('no'), cost: COST };
const DONE: RunOutcome = { type: 'succeeded', cost: COST, applied: [] };
const LATER: RunOutcome = { type: 'later', cost: COST, applied: [] };

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  vi.spyOn(Math, 'random').mockReturnValue(0);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A success whose result says something about contexts, or asks to come again. */
function said(contexts: Readonly<Record<number, Partial<ContextResult>>>, retryAfterMs?: number): RunOutcome {
  const empty = { conditions: [], events: [] };
  const entries = Object.entries(contexts).map(([index, own]) => [Number(index), { ...empty, ...own }] as const);
  const result: HookResult = {
    ...empty,
    contexts: new Map(entries),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
  return { type: 'succeeded', cost: COST, applied: [], result };
}

/** The queues of one hook; `ends` says how the runs of a task end, in turn, and then all succeed. */
async function rig(ends: Readonly<Record<string, readonly RunOutcome[]>>) {
  const unit = unitRig('hook.sh', [pods]);
  const { hook } = unit;
  const ran: string[] = [];
  const parts: EndedPart[] = [];
  const left = new Map(Object.entries(ends).map(([name, outcomes]) => [name, [...outcomes]]));
  const controller = new AbortController();
  const wishes: Wishes = new Wishes((task, trigger) => queues.get(queueOf(task.hook, trigger)).push(task));
  const factory = createQueueFactory({
    unitOf: (known: Hook) => (known === hook ? unit.unit : undefined),
    run: async ({ task, attempt }) => {
      const name = describeTask(task);
      ran.push(`${Date.now() / 1000} ${name} #${attempt}`);
      return left.get(name)?.shift() ?? DONE;
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
    terminate: new AbortController().signal,
    onStarted: () => {},
    journal: { record: (event) => void (event.type === 'ended' && parts.push(...event.parts)) },
    wishes,
    metrics: createMetrics(''),
  });
  const queues: Queues<Task> = new Queues(factory);
  const ended = Promise.all([queues.run(controller.signal), wishes.run(controller.signal)]);
  await vi.advanceTimersByTimeAsync(0);
  return {
    hook,
    queues,
    wishes,
    ran,
    parts,
    push: (...triggers: readonly QueuedTrigger[]) => {
      for (const trigger of triggers) {
        const task = newTask(hook, trigger, Date.now());
        wishes.forget(task);
        queues.get(queueOf(hook, trigger)).push(task);
      }
    },
    stop: async () => {
      controller.abort();
      await ended;
      await unit.stop();
    },
  };
}

const look = (name: string, reason: ReconcileReason): QueuedTrigger => ({
  type: 'reconcile',
  binding: sites,
  namespace: 'default',
  name,
  reason,
});

describe('in a queue in order', () => {
  it('what is not yet to be done lets others go ahead, and uses no attempt', async () => {
    const { push, ran, stop } = await rig({ 'pods/a': [LATER, LATER] });
    push(eventOf(pods, 'a'));
    await vi.advanceTimersByTimeAsync(1000);
    push(eventOf(pods, 'b'));
    await vi.advanceTimersByTimeAsync(60_000);

    expect(ran).toEqual(['0 pods/a #1', '1 pods/b #1', '30 pods/a #1', '60 pods/a #1']);
    await stop();
  });

  it('what is not yet to be done is run with a new event of its object, before it', async () => {
    const { push, ran, stop } = await rig({ 'pods/a': [LATER] });
    push(eventOf(pods, 'a'));
    await vi.advanceTimersByTimeAsync(1000);

    push(eventOf(pods, 'a'));
    await vi.advanceTimersByTimeAsync(60_000);

    expect(ran).toEqual(['0 pods/a #1', '1 pods/a + pods/a #1']);
    await stop();
  });

  it('one failed object of a combined run repeats alone, with attempts of its own', async () => {
    const { queues, push, ran, parts, hook, stop } = await rig({
      'ruled/a + ruled/b + ruled/c': [said({ 1: { outcome: 'failed' } })],
      'ruled/b': [FAILED, FAILED],
    });
    queues.get({ name: 'main' }).push(...['a', 'b', 'c'].map((name) => newTask(hook, eventOf(ruled, name), 0)));
    await vi.advanceTimersByTimeAsync(4000);
    push(eventOf(ruled, 'd'));
    await vi.advanceTimersByTimeAsync(60_000);

    expect(ran).toEqual(['0 ruled/a + ruled/b + ruled/c #1', '4 ruled/d #1', '5 ruled/b #2', '11 ruled/b #3']);
    expect(parts.at(-1)?.next).toEqual({ type: 'dead', why: 'exhausted' });
    expect(queues.length).toBe(0);
    await stop();
  });

  it('a new event of its object gives a task with a rule all its attempts again, and a task without none', async () => {
    const ends = (name: string) => ({ [name]: [FAILED, FAILED], [`${name} + ${name}`]: [FAILED, FAILED, FAILED] });
    for (const [binding, attempts] of [
      [ruled, [1, 2, 1, 2, 3]],
      [pods, [1, 2, 3, 4, 5, 6]],
    ] as const) {
      const { push, ran, stop } = await rig(ends(`${binding.name}/a`));
      push(eventOf(binding, 'a'));
      await vi.advanceTimersByTimeAsync(5500);
      push(eventOf(binding, 'a'));
      await vi.advanceTimersByTimeAsync(120_000);

      expect(ran.map((line) => Number(line.split('#')[1]))).toEqual(attempts);
      await stop();
    }
  });

  it('a hook that asks to come again is called for each object, unless something happens to it before', async () => {
    const { queues, wishes, push, ran, hook, stop } = await rig({
      'pods/a + pods/b': [said({}, 10_000)],
      'pods/b': [said({}, 5000)],
    });
    queues.get({ name: 'main' }).push(...['a', 'b'].map((name) => newTask(hook, eventOf(pods, name), 0)));
    await vi.advanceTimersByTimeAsync(3000);
    expect([wishes.size, queues.length]).toEqual([2, 0]);
    push(eventOf(pods, 'b'));
    await vi.advanceTimersByTimeAsync(60_000);

    expect(ran).toEqual(['0 pods/a + pods/b #1', '3 pods/b #1', '8 pods/b #1', '10 pods/a #1']);
    expect(wishes.size).toBe(0);
    await stop();
  });

  it('a tick that is to be done later does not hold those of other schedules', async () => {
    const clock = scheduleBinding('clock');
    const other = scheduleBinding('other');
    const { push, ran, stop } = await rig({ clock: [LATER] });
    push(tickOf(clock));
    await vi.advanceTimersByTimeAsync(1000);
    push(tickOf(other));
    await vi.advanceTimersByTimeAsync(60_000);

    expect(ran).toEqual(['0 clock #1', '1 other #1', '30 clock #1']);
    await stop();
  });

  it('a hook does not come again for an object that was deleted', async () => {
    const { wishes, push, ran, stop } = await rig({ 'pods/a': [said({}, 10_000)] });
    push({ ...eventOf(pods, 'a'), watchEvent: 'Deleted' });
    await vi.advanceTimersByTimeAsync(60_000);

    expect([ran, wishes.size]).toEqual([['0 pods/a #1'], 0]);
    await stop();
  });

  it('wishes of a hook that is gone are forgotten', async () => {
    const { wishes, push, hook, stop } = await rig({ 'pods/a': [said({}, 10_000)] });
    push(eventOf(pods, 'a'));
    await vi.advanceTimersByTimeAsync(0);
    expect(wishes.size).toBe(1);

    wishes.drop((known) => known === hook);

    expect(wishes.size).toBe(0);
    await stop();
  });
});

describe('with an order for each object', () => {
  it('one that fails holds only itself, and starts anew with what happens to it', async () => {
    const { queues, push, ran, stop } = await rig({ 'objects/a': [FAILED, FAILED] });
    push(eventOf(byObject, 'a'), eventOf(byObject, 'b'));
    await vi.advanceTimersByTimeAsync(5500);
    expect(queues.all.map((queue) => holdOf(queue, Date.now()))).toMatchObject([
      { queue: 'hook.sh/objects', event: 'Added default/a', attempt: 3, againAtMs: 11_000, waiting: 0 },
    ]);
    push(eventOf(byObject, 'c'), eventOf(byObject, 'a'));
    await vi.advanceTimersByTimeAsync(60_000);

    expect(ran).toEqual([
      '0 objects/a #1',
      '0 objects/b #1',
      '5 objects/a #2',
      '5.5 objects/c #1',
      '5.5 objects/a + objects/a #1',
    ]);
    await stop();
  });

  it('a context that failed is run again, with what followed it', async () => {
    const { queues, ran, hook, stop } = await rig({
      'objects/a + objects/a + objects/a': [said({ 1: { outcome: 'later', retryAfterMs: 2000 } })],
    });
    const place = queueOf(hook, eventOf(byObject, 'a'));
    queues.get(place).push(...[1, 2, 3].map(() => newTask(hook, eventOf(byObject, 'a'), 0)));
    await vi.advanceTimersByTimeAsync(60_000);

    expect(ran).toEqual(['0 objects/a + objects/a + objects/a #1', '2 objects/a + objects/a #1']);
    await stop();
  });

  it('an object is looked at once for all that happened, for the newest reason, before a flood', async () => {
    const { push, parts, stop } = await rig({});
    push(look('x', 'start'), look('y', 'start'), look('z', 'start'));
    push(look('z', 'child'), look('z', 'changed'), look('y', 'resync'));
    await vi.advanceTimersByTimeAsync(0);

    expect(
      parts.map(({ task: { triggers } }) => triggers.map((one) => 'reason' in one && `${one.name} ${one.reason}`)),
    ).toEqual([['x start'], ['z changed'], ['y start']]);
    await stop();
  });

  it('an object comes again when its hook asks for it, for the reason `again`', async () => {
    const { push, parts, stop } = await rig({ 'Reconcile x': [said({}, 10_000)] });
    push(look('x', 'changed'));
    await vi.advanceTimersByTimeAsync(10_000);

    expect(parts.map(({ task: { triggers } }) => 'reason' in triggers[0] && triggers[0].reason)).toEqual([
      'changed',
      'again',
    ]);
    await stop();
  });
});
