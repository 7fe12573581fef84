import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HookFailedError } from '../../src/errors.ts';
import type { Hook } from '../../src/hook/binding.ts';
import type { PauseTarget } from '../../src/hook/pause-control.ts';
import type { EventTrigger, QueuedTrigger } from '../../src/hook/trigger.ts';
import { createMetrics, type Metrics } from '../../src/metrics.ts';
import { createPauseDesk } from '../../src/operator/pause/pause-desk.ts';
import { PauseGate } from '../../src/operator/pause/pause-gate.ts';
import { Runs } from '../../src/operator/runs/runs.ts';
import type { Effects } from '../../src/run/attempt.ts';
import type { RunEvent } from '../../src/run/journal.ts';
import type { Execution } from '../../src/runner/executor.ts';
import { ScheduledRuns } from '../../src/sources/schedule/scheduled-runs.ts';
import { kubernetesBinding, onStartupBinding, scheduleBinding, tickOf } from '../support/bindings.ts';
import { metricValues } from '../support/metric-values.ts';
import { recordingLogger } from '../support/recording-logger.ts';
import { describeTask, unitRig, type UnitRig } from '../support/unit-rig.ts';

const pods = kubernetesBinding('pods');
const added = kubernetesBinding('added', { executeHookOnEvent: ['Added'] });
const nightly = scheduleBinding('nightly');
const COST = { durationMs: 20, usage: {} };
const OUTPUTS = { patch: '', metrics: '', admission: '', conversion: '', result: '' };
const HOOK: PauseTarget = { type: 'hook', hook: 'a.sh' };

const noEffects: Effects = {
  parse: async () => ({ operations: [], metrics: [], warnings: [] }),
  parseAfterFailure: { patch: async () => [], metrics: async () => [] },
  apply: async () => [],
  applyMetrics: () => {},
  parseResult: async () => ({ warnings: [] }),
};

let metrics: Metrics;
let stops: (() => Promise<void>)[];

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  metrics = createMetrics('');
  stops = [];
});

afterEach(async () => {
  for (const stop of stops) await stop();
  vi.useRealTimers();
});

/** The queues of hooks that take a second for a run, with the gate; `fails` says how many runs of a hook fail. */
function gateRig(names: readonly string[], fails: Readonly<Record<string, number>> = {}) {
  const rigs = new Map(names.map((name): [string, UnitRig] => [name, unitRig(name, [pods, added, nightly])]));
  const unitOf = (hook: Hook) => [...rigs.values()].find((rig) => rig.hook === hook)?.unit;
  const left = new Map(Object.entries(fails));
  const [ran, started, dropped]: [string[], string[], string[]] = [[], [], []];
  let running = '';
  const record = (event: RunEvent): void => {
    if (event.type === 'dropped') dropped.push(`${describeTask(event.task)} ${event.why}`);
    if (event.type !== 'started') return;
    const { task } = event.run;
    running = task.hook.name;
    const versions = task.triggers.map((one) => (one.type === 'event' ? (one.item.filterResult ?? '') : ''));
    ran.push(
      `${Date.now() / 1000} ${running} ${describeTask(task)}${versions.some(Boolean) ? ` ${versions.join()}` : ''}`,
    );
  };
  const log = recordingLogger();
  const gate = new PauseGate({
    push: (hook, trigger) => runs.push(hook, trigger),
    setAside: () => runs.setAside(),
    onStarted: ({ name }) => void started.push(name),
    onReplaced: (hook, tick) => runs.leaveOut(hook, tick),
    metrics,
    log,
  });
  const runs: Runs = new Runs({
    executor: {
      execute: async (): Promise<Execution> => {
        const failures = left.get(running) ?? 0;
        left.set(running, failures - 1);
        await new Promise((resolve) => setTimeout(resolve, 1000));
        if (failures <= 0) return { type: 'exited', cost: COST, outputs: OUTPUTS };
        const error = new HookFailedError('bad', { ending: { exitCode: 1, timedOut: false } });
        return { type: 'failed', by: 'hook', error, cost: COST };
      },
    },
    effects: noEffects,
    unitOf,
    unitFor: unitOf,
    scheduledRuns: new ScheduledRuns(),
    onStarted: ({ name }) => void started.push(name),
    gracePeriodMs: 0,
    subscribers: [{ record }],
    gate,
    logProxyHookJson: false,
    metrics,
    log,
  });
  const end = new AbortController();
  const ended = runs.run(end.signal);
  stops.push(async () => {
    end.abort();
    await vi.advanceTimersByTimeAsync(5000);
    await Promise.all([ended, ...[...rigs.values()].map(async (rig) => rig.stop())]);
  });
  const hookOf = (name: string): Hook => {
    const hook = rigs.get(name)?.hook;
    if (hook === undefined) throw new Error(`no hook ${name}`);
    return hook;
  };
  const desk = createPauseDesk({
    gate,
    open: async () => {},
    onChange: () => {},
    isKept: () => true,
    hooks: () => [...rigs.keys()],
    now: Date.now,
    log,
  });
  return {
    gate,
    runs,
    desk,
    ran,
    started,
    dropped,
    hookOf,
    emit: (name: string, ...triggers: readonly QueuedTrigger[]) => {
      for (const trigger of triggers) runs.emit(hookOf(name), trigger);
    },
    remove: (name: string) => void rigs.delete(name),
    pass: async (ms: number) => vi.advanceTimersByTimeAsync(ms),
  };
}

function event(name: string, version = '', fields: Partial<EventTrigger['item']> = {}): EventTrigger {
  const item = { namespace: 'default', name, ...(version !== '' && { filterResult: version }), ...fields };
  return { type: 'event', binding: pods, watchEvent: 'Modified', item };
}

describe('a paused hook', () => {
  it('is run once for each object when it is resumed, with the last event of each, in their order', async () => {
    const { desk, emit, ran, pass } = gateRig(['a.sh']);
    await desk.pause(HOOK);
    emit('a.sh', event('x', '1'), event('y', '1'), event('x', '2'), event('z', '1'), event('y', '2'));
    await pass(60_000);
    expect(ran).toEqual([]);
    expect(metricValues(metrics, 'paused_tasks')).toEqual(['{hook="a.sh"} 3']);
    expect(await desk.list()).toEqual([{ target: HOOK, by: 'hand', sinceMs: 0, held: 3 }]);

    expect(await desk.resume(HOOK)).toBe(3);
    await pass(10_000);

    expect(ran).toEqual(['60 a.sh pods/x + pods/y + pods/z 2,2,1']);
    expect(metricValues(metrics, 'paused_tasks')).toEqual([]);
    expect(await desk.list()).toEqual([]);
  });

  it('does not block a queue that it shares, and its tasks that wait there are set aside', async () => {
    const { desk, emit, ran, pass } = gateRig(['a.sh', 'b.sh']);
    emit('b.sh', event('first'));
    emit('a.sh', event('x'));
    emit('b.sh', event('y'));
    await pass(10);
    await desk.pause(HOOK);
    await pass(10_000);

    expect(ran).toEqual(['0 b.sh pods/first', '1 b.sh pods/y']);
    await desk.resume(HOOK);
    await pass(1);
    expect(ran.at(-1)).toMatch(/ a.sh pods\/x$/);
  });

  it('ends its run that is under way, and waits before the next attempt without blocking the queue', async () => {
    const { desk, emit, ran, pass } = gateRig(['a.sh', 'b.sh'], { 'a.sh': 1 });
    emit('a.sh', event('x'));
    await pass(500);
    await desk.pause(HOOK);
    emit('b.sh', event('y'));
    await pass(20_000);
    expect(ran).toEqual(['0 a.sh pods/x', '1 b.sh pods/y']);

    await desk.resume(HOOK);
    await pass(2000);
    expect(ran.at(-1)).toMatch(/ a.sh pods\/x$/);
    expect(ran).toHaveLength(3);
  });

  it('that fails while it is paused does not replace a later event of the same object', async () => {
    const { desk, emit, ran, pass } = gateRig(['a.sh'], { 'a.sh': 1 });
    emit('a.sh', event('x', '1'));
    await pass(500);
    emit('a.sh', event('x', '2'));
    await desk.pause(HOOK);
    await pass(20_000);
    await desk.resume(HOOK);
    await pass(5000);

    expect(ran.map((line) => line.replace(/^\S+ /, ''))).toEqual(['a.sh pods/x 1', 'a.sh pods/x 2']);
  });

  it('resumed while it runs is run again after that, once', async () => {
    const { desk, emit, ran, pass } = gateRig(['a.sh']);
    emit('a.sh', event('x', '1'));
    await pass(100);
    await desk.pause(HOOK);
    emit('a.sh', event('x', '2'), event('x', '3'));
    await pass(100);
    await desk.resume(HOOK);
    await pass(10_000);

    expect(ran).toEqual(['0 a.sh pods/x 1', '1 a.sh pods/x 3']);
  });

  it('keeps the last of its ticks, and the others end as replaced', async () => {
    const { desk, emit, ran, dropped, pass } = gateRig(['a.sh']);
    await desk.pause(HOOK);
    emit('a.sh', ...['r1', 'r2', 'r3'].map((runId) => tickOf(nightly, { runId })));
    expect(dropped).toEqual(['nightly replaced', 'nightly replaced']);
    await desk.resume(HOOK);
    await pass(10_000);

    expect(ran).toEqual(['0 a.sh nightly']);
  });

  it('waits with onStartup and its Synchronization, in order, and holds back no other hook', async () => {
    const { desk, emit, ran, started, pass } = gateRig(['a.sh']);
    await desk.pause(HOOK);
    emit('a.sh', { type: 'onStartup', binding: onStartupBinding }, { type: 'synchronization', binding: pods });
    expect(started).toEqual(['a.sh']);
    await pass(5000);
    expect(ran).toEqual([]);

    await desk.resume(HOOK);
    await pass(5000);
    expect(ran).toEqual(['5 a.sh onStartup', '6 a.sh Synchronization pods']);
  });

  it('that is removed leaves nothing behind', async () => {
    const { desk, emit, runs, ran, gate, dropped, remove, pass } = gateRig(['a.sh']);
    await desk.pause(HOOK);
    emit('a.sh', event('x'));
    remove('a.sh');
    runs.endGone();

    expect(gate.size).toBe(0);
    expect(dropped).toEqual(['pods/x gone']);
    await desk.resume(HOOK);
    await pass(1000);
    expect(ran).toEqual([]);
  });

  it('must exist, and a pause that is not there cannot be ended', async () => {
    const { desk } = gateRig(['a.sh']);

    await expect(desk.pause({ type: 'hook', hook: 'a.hs' })).rejects.toThrow('no hook "a.hs"');
    await expect(desk.resume(HOOK)).rejects.toThrow('nothing is paused by hand');
  });
});

describe('a paused queue', () => {
  it('takes no task until it is resumed; then those it had go first, and nothing is lost', async () => {
    const { desk, emit, ran, runs, pass } = gateRig(['a.sh', 'b.sh']);
    emit('a.sh', event('x'));
    await pass(100);
    emit('b.sh', event('y'));
    await desk.pause({ type: 'queue', queue: 'main' });
    emit('a.sh', event('z', '1'), event('z', '2'));
    await pass(60_000);
    expect(ran).toEqual(['0 a.sh pods/x']);
    expect(runs.holds(Date.now())).toEqual([]);

    await desk.resume({ type: 'queue', queue: 'main' });
    await pass(10_000);
    expect(ran.map((line) => line.replace(/^\S+ /, ''))).toEqual(['a.sh pods/x', 'b.sh pods/y', 'a.sh pods/z 2']);
  });

  it('ends with the operator', async () => {
    const { desk, emit, pass, ran } = gateRig(['a.sh']);
    await desk.pause({ type: 'queue', queue: 'main' });
    emit('a.sh', event('x'));
    await pass(1000);

    expect(ran).toEqual([]);
  });
});

describe('a paused object', () => {
  it.each<[string, Omit<Extract<PauseTarget, { readonly type: 'object' }>, 'type' | 'namespace' | 'name'>]>([
    ['of any kind', {}],
    ['of its kind, in any case', { kind: 'pod' }],
    ['for one hook', { hook: 'a.sh' }],
    ['of its kind for one hook', { kind: 'Pod', hook: 'a.sh' }],
  ])('by hand, %s, waits, and others go on', async (_what, more) => {
    const { desk, emit, ran, pass } = gateRig(['a.sh']);
    const target: PauseTarget = { type: 'object', namespace: 'default', name: 'x', ...more };
    await desk.pause(target);
    emit('a.sh', event('x'), event('y'));
    await pass(5000);
    expect(ran).toEqual(['0 a.sh pods/y']);

    expect(await desk.resume(target)).toBe(1);
    await pass(5000);
    expect(ran).toEqual(['0 a.sh pods/y', '5 a.sh pods/x']);
  });

  it('is split from the other triggers of its task', async () => {
    const { desk, emit, ran, pass } = gateRig(['a.sh']);
    emit('a.sh', event('first'));
    await pass(10);
    emit('a.sh', event('x', '1'), event('y', '1'), event('x', '2'));
    await desk.pause({ type: 'object', namespace: 'default', name: 'x' });
    await pass(10_000);
    expect(ran).toEqual(['0 a.sh pods/first', '1 a.sh pods/y 1']);

    await desk.resume({ type: 'object', namespace: 'default', name: 'x' });
    await pass(10_000);
    expect(ran.at(-1)).toMatch(/a.sh pods\/x 2$/);
    expect(ran).toHaveLength(3);
  });

  it('by annotation is released by the change that removes it, though that does not run the hook', async () => {
    const { gate, hookOf, emit, ran, pass, desk } = gateRig(['a.sh']);
    const held: EventTrigger = {
      ...event('x', 'old', { isPaused: true }),
      binding: added,
      watchEvent: 'Added',
    };
    emit('a.sh', held);
    gate.seen(hookOf('a.sh'), added, { watchEvent: 'Modified', item: event('x', 'still', { isPaused: true }).item });
    await pass(1000);
    expect(ran).toEqual([]);
    expect(await desk.list()).toEqual([
      { target: { type: 'object', kind: 'Pod', namespace: 'default', name: 'x' }, by: 'annotation', held: 1 },
    ]);

    gate.seen(hookOf('a.sh'), added, { watchEvent: 'Modified', item: event('x', 'new').item });
    await pass(1000);
    expect(ran).toEqual(['1 a.sh added/x new']);
  });

  it('by annotation is replaced by the change that removes it where that runs the hook', async () => {
    const { emit, ran, pass, gate } = gateRig(['a.sh']);
    emit('a.sh', event('x', '1', { isPaused: true }));
    emit('a.sh', event('x', '2'));
    await pass(5000);

    expect(ran).toEqual(['0 a.sh pods/x 2']);
    expect(gate.size).toBe(0);
  });

  it('by annotation that is deleted runs the hook', async () => {
    const { emit, ran, pass } = gateRig(['a.sh']);
    emit('a.sh', event('x', '1', { isPaused: true }));
    emit('a.sh', { ...event('x', 'last', { isPaused: true }), watchEvent: 'Deleted' });
    await pass(5000);

    expect(ran).toEqual(['0 a.sh pods/x last']);
  });

  it('in an annotated namespace waits for the end of that', async () => {
    const { gate, emit, ran, pass, desk } = gateRig(['a.sh']);
    gate.rules.setNamespaces(new Set(['default']));
    gate.paused();
    emit('a.sh', event('x'));
    await pass(1000);
    expect(await desk.list()).toEqual([
      { target: { type: 'namespace', namespace: 'default' }, by: 'annotation', held: 1 },
    ]);
    gate.rules.setNamespaces(new Set());
    gate.resumed();
    await pass(1000);

    expect(ran).toEqual(['1 a.sh pods/x']);
  });

  it('that is paused twice waits for the end of both', async () => {
    const { desk, emit, ran, pass } = gateRig(['a.sh']);
    const object: PauseTarget = { type: 'object', namespace: 'default', name: 'x' };
    await desk.pause(HOOK);
    await desk.pause(object);
    emit('a.sh', event('x'));
    expect(await desk.resume(HOOK)).toBe(0);
    expect(await desk.list()).toMatchObject([{ target: object, held: 1 }]);
    expect(await desk.resume(object)).toBe(1);
    await pass(1000);

    expect(ran).toEqual(['0 a.sh pods/x']);
  });
});
