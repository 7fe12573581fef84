import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { HookFailedError } from '../../src/errors.ts';
import type { Hook } from '../../src/hook/binding.ts';
import type { EventTrigger, QueuedTrigger } from '../../src/hook/trigger.ts';
import { createMetrics } from '../../src/metrics.ts';
import { createClusterAccess } from '../../src/operator/cluster-access.ts';
import type { DeadLetterPlace } from '../../src/operator/dead-letters/dead-letter-place.ts';
import { GivenUp } from '../../src/operator/dead-letters/given-up.ts';
import { endedWhole } from '../../src/run/journal.ts';
import { hookWith, kubernetesBinding } from '../support/bindings.ts';
import { sandboxCluster, until } from '../support/operator-rig.ts';
import { recordingLogger } from '../support/recording-logger.ts';
import { taskOf, unitRig } from '../support/unit-rig.ts';

type Sandbox = Awaited<ReturnType<typeof sandboxForTest>>;

const pods = kubernetesBinding('pods', { apiVersion: 'v1' });
const retried = kubernetesBinding('pods', { apiVersion: 'v1', retry: { onExhausted: 'dead' } });
const CONFIG_MAP = '/api/v1/namespaces/default/configmaps/hooklet-dead-letters';

function eventOf(name: string, binding = pods): EventTrigger {
  const object = Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, data: 'hunter2' }));
  return { type: 'event', binding, watchEvent: 'Modified', item: { namespace: 'default', name, object } };
}

/** One process: dead letters and pauses of an operator with one hook. */
async function processOf(sandbox: Sandbox, deadLetters?: DeadLetterPlace, binding = pods) {
  const log = recordingLogger();
  const access = await createClusterAccess(
    { connect: sandboxCluster(sandbox), userAgent: 'test' },
    { log, metrics: createMetrics('') },
  );
  const rig = unitRig('hook.sh', [binding]);
  const emitted: QueuedTrigger[] = [];
  const recorded: unknown[] = [];
  const end = new AbortController();
  const givenUp = new GivenUp({
    deadLetters,
    access,
    env: {},
    units: () => [rig.unit],
    unitFor: () => rig.unit,
    emit: (_, trigger) => void emitted.push(trigger),
    push: (_, trigger) => void emitted.push(trigger),
    setAside: () => {},
    onStarted: () => {},
    onReplaced: () => {},
    triggerSchedule: async () => {},
    recordEvent: (...given) => void recorded.push(given),
    metrics: createMetrics(''),
    log,
  });
  const running = givenUp.run(end.signal);
  await givenUp.ready([rig.hook], end.signal);
  const stop = async (): Promise<void> => {
    end.abort();
    await Promise.all([running, rig.stop()]);
    await access.client.close();
  };
  onTestFinished(stop);
  const giveUp = (name: string, hook: Hook = rig.hook): void => {
    const error = new HookFailedError('bad', { ending: { exitCode: 78, timedOut: false } });
    const run = { id: 'run', task: taskOf(hook, eventOf(name)), queue: 'main', attempt: 1 };
    givenUp.letters.record(endedWhole(run, { type: 'failed', by: 'hook', error }, { type: 'dead', why: 'permanent' }));
  };
  const names = async (): Promise<readonly string[]> =>
    (await givenUp.controls.dead.list()).map(({ trigger }) => ('name' in trigger ? trigger.name : trigger.type));
  return { ...givenUp.controls, givenUp, rig, log, emitted, recorded, giveUp, names, stop };
}

function stateFile(content?: string): DeadLetterPlace & { readonly type: 'file' } {
  const folder = mkdtempSync(join(tmpdir(), 'hooklet-dead-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'dead.json');
  if (content !== undefined) writeFileSync(path, content);
  return { type: 'file', path, isForced: true };
}

function requestsTo(sandbox: Sandbox, part: string): readonly string[] {
  return sandbox.requests.filter(({ path }) => path.includes(part)).map(({ method }) => method);
}

describe('dead letters and pauses', () => {
  it('survive a restart in a file, without anything of the object', async () => {
    const sandbox = await sandboxForTest();
    const place = stateFile();
    const first = await processOf(sandbox, place);
    first.giveUp('web');
    expect(await first.pauses.pause({ type: 'hook', hook: 'hook.sh' })).toBe(true);
    await first.pauses.pause({ type: 'object', kind: 'Pod', namespace: 'default', name: 'db', hook: 'hook.sh' });
    await first.stop();
    expect(readFileSync(place.path, 'utf8')).not.toContain('hunter2');

    const second = await processOf(sandbox, place);

    expect(await second.names()).toEqual(['web']);
    expect(await second.pauses.list()).toMatchObject([
      { target: { type: 'hook', hook: 'hook.sh' }, by: 'hand' },
      { target: { type: 'object', kind: 'Pod', namespace: 'default', name: 'db', hook: 'hook.sh' } },
    ]);
  });

  it('survive a restart in a ConfigMap, which is used only when something is given up', async () => {
    const sandbox = await sandboxForTest();
    const first = await processOf(sandbox);
    expect(requestsTo(sandbox, 'configmaps')).toEqual([]);
    first.giveUp('web');
    await first.stop();
    expect(requestsTo(sandbox, 'configmaps')).toEqual(['GET', 'POST']);

    const second = await processOf(sandbox, undefined, retried);

    expect(requestsTo(sandbox, CONFIG_MAP)).toEqual(['GET', 'GET']);
    expect(await second.names()).toEqual(['web']);
  });

  it('are written once for a burst of 10000 that are given up', async () => {
    const sandbox = await sandboxForTest();
    const { giveUp, stop, names } = await processOf(sandbox);
    for (let index = 0; index < 10_000; index++) giveUp(`pod-${index}`);
    expect(await names()).toHaveLength(1000);
    await stop();

    expect(requestsTo(sandbox, 'configmaps').filter((method) => method !== 'GET').length).toBeLessThanOrEqual(2);
  });

  it('are in memory where the ConfigMap is forbidden, with one line in the log', async () => {
    const sandbox = await sandboxForTest();
    sandbox.faults.add({ type: 'status', code: 403 });
    const { giveUp, names, log, pauses } = await processOf(sandbox, undefined, retried);
    giveUp('a');
    giveUp('b');

    expect(await names()).toEqual(['b', 'a']);
    expect(await pauses.pause({ type: 'queue', queue: 'main' })).toBe(false);
    expect(log.lines.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([
      expect.objectContaining({ message: expect.stringContaining('cannot be persisted, they are in memory only') }),
    ]);
  });

  it.each([
    ['torn', '{"letters": {"letters": [{"id"', []],
    ['not ours', '{"letters": {"x": 1}, "pauses": "text", "more": {}}', []],
    ['partly not ours', '{"letters": {"letters": [{"id": 1}, null, 5]}, "pauses": {"pauses": [{}]}}', []],
    ['empty', '', []],
  ])('go on from a file that is %s', async (_what, content, expected) => {
    const sandbox = await sandboxForTest();
    const place = stateFile(content);
    const first = await processOf(sandbox, place);
    expect(await first.names()).toEqual(expected);
    first.giveUp('web');
    await first.stop();

    expect(await (await processOf(sandbox, place)).names()).toEqual(['web']);
  });

  it('with none are in memory, and nothing is asked for', async () => {
    const sandbox = await sandboxForTest();
    const { giveUp, names, stop, pauses } = await processOf(sandbox, { type: 'none' }, retried);
    giveUp('web');

    expect(await names()).toEqual(['web']);
    expect(await pauses.pause({ type: 'hook', hook: 'hook.sh' })).toBe(false);
    await stop();
    expect(requestsTo(sandbox, 'configmaps')).toEqual([]);
  });

  it('tell of a letter by an Event about its object', async () => {
    const { giveUp, recorded } = await processOf(await sandboxForTest());
    giveUp('web');

    expect(recorded).toEqual([
      [
        { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'web' },
        { type: 'Warning', reason: 'GaveUp', message: expect.stringContaining('hook hook.sh, binding pods, will not') },
        expect.any(String),
      ],
    ]);
  });
});

describe('a retry', () => {
  it('emits the event with the object of now, or the deletion, and drops the letters', async () => {
    const { giveUp, dead, rig, emitted, names } = await processOf(await sandboxForTest());
    const now = { namespace: 'default', name: 'web', object: Buffer.from('{"now":true}') };
    rig.setSnapshot(pods, [now]);
    rig.sync(pods);
    giveUp('web');
    giveUp('gone');

    expect(await dead.retry({})).toEqual({ retried: 2, hookGone: 0, objectGone: 0 });

    expect(emitted).toMatchObject([
      { type: 'event', watchEvent: 'Modified', item: now },
      { type: 'event', watchEvent: 'Deleted', item: { namespace: 'default', name: 'gone' } },
    ]);
    const [, deleted] = emitted;
    const object = deleted?.type === 'event' ? Buffer.from(deleted.item.object ?? []).toString() : '';
    expect(JSON.parse(object)).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'gone', namespace: 'default' },
    });
    expect(await names()).toEqual([]);
  });

  it('keeps the letters of events until the objects are listed, since before it is not known which are gone', async () => {
    const { giveUp, dead, rig, emitted, names } = await processOf(await sandboxForTest());
    giveUp('web');

    expect(await dead.retry({})).toEqual({ retried: 0, hookGone: 0, objectGone: 0 });

    expect([emitted, await names()]).toEqual([[], ['web']]);
    rig.setSnapshot(pods, [{ namespace: 'default', name: 'web' }]);
    rig.sync(pods);
    expect(await dead.retry({})).toEqual({ retried: 1, hookGone: 0, objectGone: 0 });
    expect(emitted).toMatchObject([{ watchEvent: 'Modified' }]);
  });

  it('keeps the letters of a hook that is gone, and shows that', async () => {
    const { giveUp, dead } = await processOf(await sandboxForTest());
    giveUp('web', hookWith('removed.sh', [pods]));
    expect(await dead.list()).toMatchObject([{ hook: 'removed.sh', hookIs: 'gone' }]);

    expect(await dead.retry({ hook: 'removed.sh' })).toEqual({ retried: 0, hookGone: 1, objectGone: 0 });
    expect(await dead.list()).toHaveLength(1);
    expect(await dead.drop({ reason: 'permanent' })).toBe(1);
    await until(async () => expect(await dead.list()).toEqual([]));
  });
});
