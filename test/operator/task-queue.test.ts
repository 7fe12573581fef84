import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HookFailedError } from '../../src/errors.ts';
import type { Hook } from '../../src/hook/binding.ts';
import type { Task } from '../../src/hook/task.ts';
import { aborted } from '../../src/lib/aborted.ts';
import { createMetrics, type Metrics } from '../../src/metrics.ts';
import { createQueueFactory, type TaskQueueOptions } from '../../src/operator/queues/task-queue.ts';
import { Wishes } from '../../src/operator/queues/wishes.ts';
import { unitJournal } from '../../src/operator/runs/unit-journal.ts';
import { LoopWarnings } from '../../src/units/loop-warnings.ts';
import { createJournal } from '../../src/run/journal.ts';
import { runLog } from '../../src/run/run-log.ts';
import { runMetrics } from '../../src/run/run-metrics.ts';
import type { Effects } from '../../src/run/attempt.ts';
import type { Execution, FailedExecution } from '../../src/runner/executor.ts';
import type { ScheduleTrigger } from '../../src/hook/trigger.ts';
import { EndableRuns } from '../../src/operator/runs/endable-runs.ts';
import { scheduleJournal } from '../../src/operator/schedules/schedule-journal.ts';
import { createOutputLog } from '../../src/runner/output-log.ts';
import { hookWith, kubernetesBinding, onStartupBinding, scheduleBinding, tickOf } from '../support/bindings.ts';
import { metricValues } from '../support/metric-values.ts';
import { recordingLogger } from '../support/recording-logger.ts';
import { describeTask, eventOf, taskOf, unitRig, type UnitRig } from '../support/unit-rig.ts';

const pods = kubernetesBinding('pods');
const maps = kubernetesBinding('maps');
const grouped = kubernetesBinding('grouped', { group: 'g' });
const LABELS = '{hook="hook.sh",binding="pods",queue="main"}';

let metrics: Metrics;
let log: ReturnType<typeof recordingLogger>;

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  metrics = createMetrics('');
  log = recordingLogger();
});

afterEach(() => {
  vi.useRealTimers();
});

const COST = { durationMs: 20, usage: {} };
const OUTPUTS = { patch: '', metrics: '', admission: '', conversion: '', result: '' };
const FAILURE = new HookFailedError('bad', { ending: { exitCode: 3, timedOut: false } });

const noEffects: Effects = {
  parse: async () => ({ operations: [], metrics: [], warnings: [] }),
  parseResult: async () => ({ warnings: [] }),
  parseAfterFailure: { patch: async () => [], metrics: async () => [] },
  apply: async () => [],
  applyMetrics: () => {},
};

interface RigOptions {
  readonly by?: FailedExecution['by'];
  readonly replaces?: readonly string[];
  readonly room?: TaskQueueOptions['room'];
}

/** A running queue named `main` for the hooks of `rigs`; `fails` says how many runs of a task fail. */
function queueRig(
  rigs: readonly UnitRig[],
  fails: Readonly<Record<string, number>> = {},
  { by = 'hook', replaces = [], room }: RigOptions = {},
) {
  const ran: string[] = [];
  const started: string[] = [];
  const told: string[] = [];
  const left = new Map(Object.entries(fails));
  const controller = new AbortController();
  const endable = new EndableRuns();
  const unitOf = (hook: Hook) => rigs.find((rig) => rig.hook === hook)?.unit;
  let running = '';
  const names = (ticks: readonly ScheduleTrigger[]) => ticks.map(({ run }) => run.runId);
  const journal = createJournal([
    { record: (event) => void (running = event.type === 'started' ? nameOf(event.run.task) : running) },
    runLog({ log, outputLog: createOutputLog({ log, logProxyHookJson: false }) }),
    runMetrics(metrics),
    scheduleJournal({
      begin: (ticks) => void told.push(...names(ticks).map((name) => `${name} begins`)),
      retry: (ticks) => void told.push(...names(ticks).map((name) => `${name} again`)),
      end: (ticks, outcome) => void told.push(...names(ticks).map((name) => `${name} ${outcome}`)),
    }),
    unitJournal({ unitFor: unitOf, loops: new LoopWarnings({ metrics, log, now: Date.now }) }),
  ]);
  const queue = createQueueFactory({
    unitOf,
    executor: {
      execute: async (): Promise<Execution> => {
        const name = running;
        ran.push(`${Date.now() / 1000} ${name}`);
        const failures = left.get(name) ?? 0;
        left.set(name, failures - 1);
        if (replaces.includes(name)) endable.replace(new Set(['r1']));
        if (failures > 0) return { type: 'failed', by, error: FAILURE, cost: COST };
        return { type: 'exited', cost: COST, outputs: OUTPUTS };
      },
    },
    effects: noEffects,
    facts: () => undefined,
    endable,
    terminate: new AbortController().signal,
    onStarted: ({ name }) => void started.push(name),
    journal,
    wishes: new Wishes(() => {}),
    metrics,
    room,
  })({ name: 'main' });
  const ended = queue.run(controller.signal);
  return {
    queue,
    ran,
    started,
    /** What was recorded of ticks. */
    told,
    /** Ends the queue and the units. */
    stop: async () => {
      controller.abort();
      await Promise.all([ended, ...rigs.map(async (rig) => rig.stop())]);
    },
  };
}

function nameOf(task: Task): string {
  return `${task.hook.name} ${describeTask(task)}`;
}

const event = (hook: Hook, name: string, fields: Partial<Task> = {}) => taskOf(hook, eventOf(pods, name), fields);

describe('a task that fails', () => {
  it('is run again after a delay, at the head of its queue, and each failure is counted and told', async () => {
    const rig = unitRig('hook.sh', []);
    const other = unitRig('other.sh', []);
    const { queue, ran, stop } = queueRig([rig, other], { 'hook.sh pods/a': 1 });

    queue.push(event(rig.hook, 'a'), event(other.hook, 'b'));
    await vi.advanceTimersByTimeAsync(5000);

    expect(ran).toEqual(['0 hook.sh pods/a', '5 hook.sh pods/a', '5 other.sh pods/b']);
    expect(metricValues(metrics, 'hook_run_errors_total')).toEqual([`${LABELS} 1`]);
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([
      {
        level: 'error',
        message: 'hook failed, it is run again after a delay',
        fields: {
          hook: 'hook.sh',
          binding: 'pods',
          queue: 'main',
          run: expect.any(String),
          event: 'Added default/a',
          attempt: 1,
          exitCode: 3,
          err: expect.any(HookFailedError),
          again: 'again in 5s (attempt 2)',
        },
      },
    ]);
    await stop();
  });

  it.each(['pods/a', 'Synchronization pods'])('is run again soon when that was not its hook: %s', async (what) => {
    const rig = unitRig('hook.sh', [pods]);
    const { queue, ran, stop } = queueRig([rig], { [`hook.sh ${what}`]: 1 }, { by: 'environment' });
    rig.unit.enable();
    queue.push(...(what === 'pods/a' ? [event(rig.hook, 'a')] : rig.takeTasks()));
    await vi.advanceTimersByTimeAsync(500);
    queue.push(...rig.takeTasks());
    await vi.advanceTimersByTimeAsync(0);

    expect(ran.slice(0, 2)).toEqual([`0 hook.sh ${what}`, `0.5 hook.sh ${what}`]);
    await stop();
  });

  it('is told of about once a minute while the API server takes no patches', async () => {
    const rig = unitRig('hook.sh', []);
    const { queue, stop } = queueRig([rig], { 'hook.sh pods/a': 90 }, { by: 'environment' });

    queue.push(event(rig.hook, 'a'));
    await vi.advanceTimersByTimeAsync(120_000);

    expect(log.lines.map(({ fields }) => fields['attempt'])).toEqual([1, 31, 61]);
    expect(metricValues(metrics, 'hook_run_errors_total')).toEqual([`${LABELS} 62`]);
    await stop();
  });

  it('waits anew from its failure on', async () => {
    const rig = unitRig('hook.sh', []);
    const { queue, stop } = queueRig([rig], { 'hook.sh pods/a': 9 });
    queue.push(event(rig.hook, 'a'));
    await vi.advanceTimersByTimeAsync(5001);

    expect(queue.tasks).toMatchObject([{ failures: 2, queuedAtMs: 5000 }]);
    await stop();
  });

  it('is dropped when its binding allows that, and what waited for it goes on', async () => {
    const allowed = kubernetesBinding('pods', { allowFailure: true });
    const rig = unitRig('hook.sh', [allowed]);
    const { queue, ran, stop } = queueRig([rig], { 'hook.sh Synchronization pods': 1 });
    rig.unit.enable();
    queue.push(...rig.takeTasks());
    await vi.advanceTimersByTimeAsync(60_000);

    expect(ran).toHaveLength(1);
    expect(rig.unit.isEnabled).toBe(true);
    expect(metricValues(metrics, 'hook_run_allowed_errors_total')).toEqual([`${LABELS} 1`]);
    expect(metricValues(metrics, 'hook_run_errors_total')).toEqual([]);
    await stop();
  });

  it('is dropped without a word when its hook was changed meanwhile', async () => {
    const rig = unitRig('hook.sh', []);
    const changed = hookWith('hook.sh');
    const { queue, ran, started, stop } = queueRig([rig]);

    queue.push(
      event(changed, 'a'),
      taskOf(changed, { type: 'onStartup', binding: onStartupBinding }),
      event(rig.hook, 'b'),
    );
    await vi.advanceTimersByTimeAsync(0);

    expect(ran).toEqual(['0 hook.sh pods/b']);
    expect(started).toEqual(['hook.sh']);
    expect(log.lines.map(({ message }) => message)).toEqual(['hook finished']);
    await stop();
  });

  it('does not hold up other hooks when it is a Synchronization; the later ones of its hook follow it', async () => {
    const rig = unitRig('hook.sh', [pods, maps]);
    const other = unitRig('other.sh', [pods]);
    const { queue, ran, stop } = queueRig([rig, other], { 'hook.sh Synchronization pods': 1 });
    rig.unit.enable();
    other.unit.enable();
    queue.push(...rig.takeTasks(), ...other.takeTasks());
    await vi.advanceTimersByTimeAsync(5000);
    queue.push(...rig.takeTasks());
    await vi.advanceTimersByTimeAsync(0);
    queue.push(...rig.takeTasks());
    await vi.advanceTimersByTimeAsync(0);

    expect(ran).toEqual([
      '0 hook.sh Synchronization pods',
      '0 other.sh Synchronization pods',
      '5 hook.sh Synchronization pods',
      '5 hook.sh Synchronization maps',
    ]);
    expect(rig.unit.isEnabled).toBe(true);
    await stop();
  });
});

describe('onStartup', () => {
  it('holds up all that is behind it until it succeeds', async () => {
    const rig = unitRig('hook.sh', []);
    const { queue, ran, started, stop } = queueRig([rig], { 'hook.sh onStartup': 1 });

    queue.push(taskOf(rig.hook, { type: 'onStartup', binding: onStartupBinding }), event(rig.hook, 'a'));
    await vi.advanceTimersByTimeAsync(4999);
    expect([ran.length, started]).toEqual([1, []]);
    await vi.advanceTimersByTimeAsync(1);

    expect(ran).toEqual(['0 hook.sh onStartup', '5 hook.sh onStartup', '5 hook.sh pods/a']);
    expect(started).toEqual(['hook.sh']);
    await stop();
  });
});

describe('a queue', () => {
  it('runs together what can be, counts that for the hook, and tells its length', async () => {
    const rig = unitRig('hook.sh', []);
    const { queue, ran, stop } = queueRig([rig], { 'hook.sh pods/a': 1 });
    expect(metricValues(metrics, 'tasks_queue_length')).toEqual([]);
    queue.push(event(rig.hook, 'a'));
    await vi.advanceTimersByTimeAsync(0);
    queue.push(event(rig.hook, 'b'), event(rig.hook, 'c'));
    expect(metricValues(metrics, 'tasks_queue_length')).toEqual(['{queue="main"} 3']);
    await vi.advanceTimersByTimeAsync(5000);

    expect(ran.slice(1)).toEqual(['5 hook.sh pods/a + pods/b + pods/c']);
    expect(metricValues(metrics, 'd8_telemetry_tasks_queue_compaction_operations_total')).toEqual([
      '{queue_name="main",hook="hook.sh"} 1',
    ]);
    expect(metricValues(metrics, 'tasks_queue_length')).toEqual([]);
    await stop();
  });

  it('runs the Synchronizations of a group at once', async () => {
    const second = kubernetesBinding('second', { group: 'g' });
    const rig = unitRig('hook.sh', [grouped, second]);
    const { queue, ran, stop } = queueRig([rig]);
    rig.unit.enable();
    queue.push(...rig.takeTasks());
    await vi.advanceTimersByTimeAsync(0);

    expect(ran).toEqual(['0 hook.sh Synchronization grouped + Synchronization second']);
    expect(rig.unit.isEnabled).toBe(true);
    await stop();
  });

  it('keeps to the rate that the settings of a hook allow', async () => {
    const rig = unitRig('hook.sh', []);
    const limited: Hook = { ...rig.hook, settings: { executionMinIntervalMs: 3000, executionBurst: 2 } };
    const clock = scheduleBinding('clock');
    const { queue, ran, stop } = queueRig([{ ...rig, hook: limited }]);

    for (let round = 0; round < 4; round += 1) {
      queue.push(taskOf(limited, tickOf(clock)));
      await vi.advanceTimersByTimeAsync(0);
    }
    await vi.advanceTimersByTimeAsync(10_000);

    expect(ran).toEqual(['0 hook.sh clock', '0 hook.sh clock', '3 hook.sh clock + clock']);
    await stop();
  });

  it('combines what comes while its head waits for a worker, and asks for a worker for what runs then', async () => {
    const [rig, other] = [unitRig('hook.sh', []), unitRig('other.sh', [])];
    const rooms = new Map([rig, other].map(({ hook }) => [hook.name, Promise.withResolvers<void>()]));
    const room = async (hook: Hook, signal: AbortSignal): Promise<void> =>
      Promise.race([rooms.get(hook.name)?.promise, aborted(signal)]);
    const { queue, ran, stop } = queueRig([rig, other], {}, { room });
    queue.push(event(rig.hook, 'a'), event(other.hook, 'a'));
    await vi.advanceTimersByTimeAsync(3000);
    queue.drop(({ hook }) => hook === rig.hook);
    queue.push(event(other.hook, 'b'));
    rooms.get('hook.sh')?.resolve();
    await vi.advanceTimersByTimeAsync(1000);
    expect(ran).toEqual([]);

    rooms.get('other.sh')?.resolve();
    await vi.advanceTimersByTimeAsync(0);

    expect(ran).toEqual(['4 other.sh pods/a + pods/b']);
    await stop();
  });

  describe('ticks of schedules', () => {
    const clock = scheduleBinding('clock');

    it('hear of each failure, and of the success', async () => {
      const rig = unitRig('hook.sh', [clock]);
      const { queue, told, stop } = queueRig([rig], { 'hook.sh clock': 1 });

      queue.push(taskOf(rig.hook, tickOf(clock, { runId: 'r1' })));
      await vi.advanceTimersByTimeAsync(6000);

      expect(told).toEqual(['r1 begins', 'r1 again', 'r1 begins', 'r1 succeeded']);
      await stop();
    });

    it('hear of a failure that is allowed as the end', async () => {
      const rig = unitRig('hook.sh', [clock]);
      const { queue, told, stop } = queueRig([rig], { 'hook.sh clock': 1 });

      queue.push(taskOf(rig.hook, tickOf(clock, { runId: 'r1' }), { allowFailure: true }));
      await vi.advanceTimersByTimeAsync(6000);

      expect(told).toEqual(['r1 begins', 'r1 failed']);
      await stop();
    });

    it('that gave way to a newer one have not failed', async () => {
      const rig = unitRig('hook.sh', [clock]);
      const { queue, ran, told, stop } = queueRig([rig], { 'hook.sh clock': 1 }, { replaces: ['hook.sh clock'] });

      queue.push(taskOf(rig.hook, tickOf(clock, { runId: 'r1' })));
      await vi.advanceTimersByTimeAsync(60_000);

      expect(told).toEqual(['r1 begins', 'r1 replaced']);
      expect(ran).toHaveLength(1);
      expect(metricValues(metrics, 'hook_run_errors_total')).toEqual([]);
      expect(log.lines).toMatchObject([{ level: 'info', message: 'hook was ended for a newer run of its schedule' }]);
      await stop();
    });
  });
});
