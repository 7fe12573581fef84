import { beforeEach, describe, expect, it } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import type { Sandbox } from '@hooklet/sandbox';
import type { KubernetesBinding, WatchEvent } from '../../src/hook/binding.ts';
import type { HookResult, ObjectReference } from '../../src/hook/result.ts';
import { newTask } from '../../src/hook/task.ts';
import type { EventTrigger, Trigger } from '../../src/hook/trigger.ts';
import { createCluster } from '../../src/kube/credentials/cluster.ts';
import type { RecordedEvent } from '../../src/kube/coordination/event-recorder.ts';
import { ToldEvents } from '../../src/operator/results/told-events.ts';
import { createResultReport } from '../../src/operator/results/report-result.ts';
import { newRun, type RunOutcome } from '../../src/run/run.ts';
import type { StatusVersions } from '../../src/units/own-status-writes.ts';
import { hookWith, kubernetesBinding, onStartupBinding, scheduleBinding, tickOf } from '../support/bindings.ts';
import { recordingLogger } from '../support/recording-logger.ts';
import { COST, resultWith, succeededWith } from '../support/status-hook.ts';
import { statusLoopSuite } from '../support/status-loop-suite.ts';
import { condition, GROUP, startStatusRig, type StatusRig } from '../support/status-rig.ts';

statusLoopSuite(async () => clusterOf(await sandboxForTest({ anonymous: true })));

const ready = condition('Ready', 'True');
const context = (fields: Partial<HookResult>) => ({ conditions: [], events: [], ...fields });
const said = (message: string, object?: ObjectReference) => ({
  type: 'Normal' as const,
  reason: 'Said',
  message,
  ...(object && { object }),
});

describe('the report of a result', () => {
  let rig: StatusRig;
  let given: ReturnType<typeof reporting>;

  beforeEach(async () => {
    rig = await startStatusRig(clusterOf(await sandboxForTest({ anonymous: true })));
    given = reporting(rig);
    for (const name of ['a', 'b']) await rig.make('Mapped', name);
  });

  it('writes the status of the object of the context, with the generation that the run saw', async () => {
    const trigger = await given.event('a');
    await rig.patch({ kind: 'Mapped' }, { spec: { a: 2 } });

    await given.report([trigger], { conditions: [ready], status: { phase: 'Up' } });

    expect((await rig.read('Mapped')).status).toMatchObject({ phase: 'Up', observedGeneration: 1 });
    expect(given.problems()).toEqual([]);
  });

  it('reads the object where the binding does not keep it', async () => {
    const binding = { keepFullObjectsInMemory: false };

    await given.report([await given.event('a', 'Modified', binding)], { conditions: [ready] });

    expect((await rig.read('Mapped')).status).toMatchObject({ observedGeneration: 1 });
  });

  it.each([
    { type: 'later' as const, title: 'is to be continued later' },
    { type: 'failed' as const, title: 'failed' },
  ])('is made for a run that $title', async ({ type }) => {
    const result = resultWith({ conditions: [ready] });
    const outcome: RunOutcome =
      type === 'later'
        ? { type, cost: COST, applied: [], result }
        : { type, by: 'hook', error: new Error('exit code 1'), result };

    await given.reportOutcome([await given.event('a')], outcome);

    expect((await rig.read('Mapped')).status?.conditions).toHaveLength(1);
  });

  it('tells around each write what it was', async () => {
    const trigger = await given.event('a');
    const { metadata: before } = await rig.read('Mapped');

    await given.report([trigger], { conditions: [ready] });
    await given.report([await given.event('a')], { conditions: [ready] });

    const { metadata: after } = await rig.read('Mapped');
    const versions = { before: before['resourceVersion'], after: after['resourceVersion'] };
    expect(given.writes).toEqual([
      { place: { namespace: rig.namespace, name: 'a' }, versions: expect.objectContaining(versions) },
      { place: { namespace: rig.namespace, name: 'a' }, versions: undefined },
    ]);
  });

  it('gives each object of a combined run what its context says', async () => {
    const contexts = new Map([
      [0, context({ conditions: [ready] })],
      [1, context({ conditions: [condition('Ready', 'False')] })],
    ]);

    await given.report([await given.event('a'), await given.event('b')], { contexts });

    expect((await rig.read('Mapped', 'a')).status?.conditions).toMatchObject([{ status: 'True' }]);
    expect((await rig.read('Mapped', 'b')).status?.conditions).toMatchObject([{ status: 'False' }]);
  });

  it('writes once where several contexts are about one object, of which the later one counts', async () => {
    const contexts = new Map([
      [1, context({ conditions: [condition('Ready', 'False')] })],
      [0, context({ conditions: [ready], status: { size: 1 } })],
    ]);
    const triggers = [await given.event('a'), await given.event('a')];

    await given.report(triggers, { contexts, status: { phase: 'Up' } });

    const { status } = await rig.read('Mapped');
    expect(status).toMatchObject({ conditions: [{ status: 'False' }], size: 1, phase: 'Up' });
    expect(given.writes).toHaveLength(1);
  });

  it('writes nothing to an object that was deleted, and says nothing of it', async () => {
    const trigger = await given.event('a', 'Deleted');
    await rig.remove('Mapped');

    await given.report([trigger], { conditions: [ready], events: [said('gone')] });

    expect(given.writes).toEqual([]);
    expect(given.recorded).toMatchObject([{ about: { name: 'a' } }]);
    expect(given.problems()).toEqual([]);
  });

  it('writes Events about the object of the context, about others, and else about the own Pod', async () => {
    const other = { apiVersion: 'v1', kind: 'Node', name: 'n' };
    const { metadata } = await rig.read('Mapped');

    await given.report([await given.event('a')], { events: [said('own'), said('other', other)] });
    await given.report([given.tick()], { events: [said('of a schedule')] });

    const about = { apiVersion: `${GROUP}/v1`, kind: 'Mapped', namespace: rig.namespace, name: 'a' };
    expect(given.recorded).toEqual([
      {
        type: 'Normal',
        reason: 'Said',
        message: 'own',
        runId: expect.any(String),
        about: { ...about, uid: metadata['uid'] },
      },
      { type: 'Normal', reason: 'Said', message: 'other', runId: expect.any(String), about: other },
      { type: 'Normal', reason: 'Said', message: 'of a schedule', runId: expect.any(String), about: undefined },
    ]);
  });

  it('asks for nothing where the result says nothing', async () => {
    rig.sent();

    await given.report([await given.event('a')], {});

    expect([given.writes, given.problems()]).toEqual([[], []]);
  });
});

describe('a result that cannot be written', () => {
  let rig: StatusRig;
  let given: ReturnType<typeof reporting>;

  beforeEach(async () => {
    rig = await startStatusRig(clusterOf(await sandboxForTest({ anonymous: true })));
    given = reporting(rig);
    for (const name of ['a', 'b']) await rig.make('Mapped', name);
  });

  it.each([
    { title: 'a schedule', trigger: () => given.tick() },
    { title: 'onStartup', trigger: () => ({ type: 'onStartup', binding: onStartupBinding }) as const },
    {
      title: 'a Synchronization',
      trigger: () => ({ type: 'synchronization', binding: kubernetesBinding('b') }) as const,
    },
    { title: 'a group', trigger: () => given.event('a', 'Modified', { group: 'g' }) },
  ])('for want of an object is a warning: $title', async ({ trigger }) => {
    await given.report([await trigger()], { conditions: [ready] });

    expect(given.problems()).toEqual(['conditions and status: this context has no object that could get them']);
  });

  it('for want of the context is a warning', async () => {
    await given.report([await given.event('a')], { contexts: new Map([[3, context({ conditions: [ready] })]]) });

    expect(given.problems()).toEqual(['contexts[3]: the run has 1 context(s), expected a lower index']);
  });

  it('because the run has several objects is a warning', async () => {
    await given.report([await given.event('a'), await given.event('b')], { conditions: [ready] });

    expect(given.problems()).toEqual([
      'conditions and status: the contexts of this run are not about one object, expected them in `contexts`',
    ]);
    expect(given.writes).toEqual([]);
  });

  it('because the API server refuses it is one warning, however many objects it is about', async () => {
    for (const name of ['a', 'b', 'c']) {
      await rig.make('Bare', name);
      await given.report([await given.event(name, 'Modified', { kind: 'Bare' })], { conditions: [ready] });
    }

    expect(given.problems()).toEqual([expect.stringContaining('add `subresources: {status: {}}`')]);
  });

  it('because the kind is gone leaves the Events', async () => {
    const trigger = await given.event('a', 'Modified', { keepFullObjectsInMemory: false });
    const binding = { ...trigger.binding, kind: 'Nothing' };

    await given.report([{ ...trigger, binding }], { conditions: [ready], events: [said('hello')] });

    expect(given.problems()).toContainEqual(expect.stringContaining('no kind Nothing'));
    expect(given.recorded).toMatchObject([{ message: 'hello', about: undefined }]);
  });
});

/** Reports results of runs on the objects of the rig. */
function reporting(rig: StatusRig) {
  const recorded: RecordedEvent[] = [];
  const writes: { place: object; versions: StatusVersions | undefined }[] = [];
  const log = recordingLogger();
  const report = createResultReport({
    access: { client: rig.client, kinds: rig.kinds },
    events: { record: (event) => void recorded.push(event) },
    told: new ToldEvents({ tell: async () => ({ type: 'off' }) }),
    beginStatusWrite: (_hook, place) => (versions) => void writes.push({ place, versions }),
    now: () => rig.clock.nowMs,
    log,
  });
  const { signal } = new AbortController();
  const reportOutcome = async (triggers: readonly Trigger[], outcome: RunOutcome): Promise<void> => {
    const [first, ...rest] = triggers;
    if (first === undefined) throw new Error('a run has a trigger');
    const task = { ...newTask(hookWith('hook.sh'), first, 0), triggers: [first, ...rest] as const };
    await report(newRun(task, 'main'), outcome, signal);
  };
  return {
    recorded,
    writes,
    reportOutcome,
    problems: () => log.lines.flatMap(({ level, fields }) => (level === 'warn' ? [fields['problem']] : [])),
    report: async (triggers: readonly Trigger[], fields: Partial<HookResult>): Promise<void> =>
      reportOutcome(triggers, succeededWith(resultWith(fields))),
    tick: () => tickOf(scheduleBinding('nightly')),
    event: async (
      name: string,
      watchEvent: WatchEvent = 'Modified',
      fields: Partial<KubernetesBinding> = {},
    ): Promise<EventTrigger> => {
      const binding = kubernetesBinding('watched', { kind: 'Mapped', apiVersion: `${GROUP}/v1`, ...fields });
      const object = Buffer.from(JSON.stringify(await rig.read(binding.kind, name)));
      const item = { namespace: rig.namespace, name, ...(binding.keepFullObjectsInMemory && { object }) };
      return { type: 'event', binding, watchEvent, item };
    },
  };
}

function clusterOf({ url }: Sandbox) {
  return createCluster({ name: 'sandbox', server: new URL(url) }, []);
}
