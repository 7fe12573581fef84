import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { isJsonObject, type JsonObject, type Sandbox, startSandbox } from '@hooklet/sandbox';
import { objectsAt, textAt } from '@hooklet/sandbox/testing';
import {
  createEventRecorder,
  type EventRecorder,
  type RecordedEvent,
} from '../../../src/kube/coordination/event-recorder.ts';
import type { OwnPod } from '../../../src/kube/coordination/own-pod.ts';
import { inProcessClient, type InProcessClient } from '../../support/in-process-client.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

const START_MS = Date.parse('2026-01-05T03:00:00.250Z');
const POD: OwnPod = { name: 'hooklet-1', namespace: 'default', uid: 'u-1' };
const broken: RecordedEvent = { type: 'Warning', reason: 'HookBroken', message: 'a.sh: schedule[0].crontab: bad' };

interface Rig {
  readonly sandbox: Sandbox;
  readonly client: InProcessClient;
  readonly recorder: EventRecorder;
  readonly lines: ReturnType<typeof recordingLogger>['lines'];
  readonly events: () => Promise<readonly JsonObject[]>;
  /** Ends the recorder; resolves when it has ended. */
  readonly stop: () => Promise<void>;
}

async function recording(...[pod]: readonly OwnPod[]): Promise<Rig> {
  const sandbox = await startSandbox({ now: Date.now });
  onTestFinished(() => sandbox.close());
  const client = inProcessClient(sandbox);
  const log = recordingLogger();
  const recorder = createEventRecorder({ client, pod, log });
  const controller = new AbortController();
  const running = recorder.run(controller.signal);
  const stop = async (): Promise<void> => {
    controller.abort();
    await vi.advanceTimersByTimeAsync(1500);
    await running;
  };
  return { sandbox, client, recorder, lines: log.lines, events: async () => eventsIn(sandbox), stop };
}

async function eventsIn(sandbox: Sandbox): Promise<readonly JsonObject[]> {
  const { body } = await sandbox.call('GET', '/api/v1/namespaces/default/events');
  return isJsonObject(body) ? objectsAt(body, 'items') : [];
}

beforeEach(() => {
  vi.useFakeTimers({ now: START_MS });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the event recorder', () => {
  it('writes an Event about the Pod that kubectl describe finds', async () => {
    const { recorder, events, sandbox } = await recording(POD);

    recorder.record(broken);
    await vi.advanceTimersByTimeAsync(100);

    expect(await events()).toMatchObject([
      {
        ...broken,
        metadata: { name: expect.stringMatching(/^hooklet-1\.[0-9a-f]+$/), namespace: 'default' },
        involvedObject: { apiVersion: 'v1', kind: 'Pod', name: 'hooklet-1', namespace: 'default', uid: 'u-1' },
        count: 1,
        firstTimestamp: '2026-01-05T03:00:00Z',
        lastTimestamp: '2026-01-05T03:00:00Z',
        source: { component: 'hooklet' },
      },
    ]);
    const selector = encodeURIComponent('involvedObject.name=hooklet-1,involvedObject.uid=u-1');
    const found = await sandbox.call('GET', `/api/v1/namespaces/default/events?fieldSelector=${selector}`);
    expect(found.body).toMatchObject({ items: [{ reason: 'HookBroken' }] });
  });

  it('has the id of the last run that it is about', async () => {
    const { recorder, events } = await recording(POD);

    recorder.record({ ...broken, runId: 'first' });
    await vi.advanceTimersByTimeAsync(100);
    recorder.record({ ...broken, runId: 'second' });
    await vi.advanceTimersByTimeAsync(20_000);

    expect(await events()).toMatchObject([{ count: 2, metadata: { annotations: { 'hooklet.dev/run': 'second' } } }]);
  });

  it('counts a repeated Event instead of writing it again', async () => {
    const { recorder, events, client } = await recording(POD);
    recorder.record(broken);
    await vi.advanceTimersByTimeAsync(60_000);

    recorder.record(broken);
    recorder.record(broken);
    await vi.advanceTimersByTimeAsync(1000);

    expect(await events()).toMatchObject([
      { count: 3, firstTimestamp: '2026-01-05T03:00:00Z', lastTimestamp: '2026-01-05T03:01:00Z' },
    ]);
    expect(client.requests.map(({ method }) => method)).toEqual(['POST', 'PATCH']);
  });

  it('creates an Event again that has expired', async () => {
    const { recorder, events, sandbox } = await recording(POD);
    recorder.record(broken);
    await vi.advanceTimersByTimeAsync(1000);
    for (const event of await events()) await sandbox.delete({ ...event, apiVersion: 'v1', kind: 'Event' });

    recorder.record(broken);
    await vi.advanceTimersByTimeAsync(1000);

    expect(await events()).toMatchObject([{ reason: 'HookBroken', count: 1 }]);
  });

  it('sends 25 at once and then one in ten seconds, and counts on meanwhile', async () => {
    const { recorder, events } = await recording(POD);
    const say = (number: number): void => recorder.record({ ...broken, message: `number ${number}` });
    for (let number = 0; number < 30; number += 1) say(number);
    await vi.advanceTimersByTimeAsync(5000);
    expect(await events()).toHaveLength(25);

    say(29);
    await vi.advanceTimersByTimeAsync(60_000);

    expect(await events()).toHaveLength(30);
    expect(await events()).toContainEqual(expect.objectContaining({ message: 'number 29', count: 2 }));
  });

  it('keeps a bounded number of what waits', async () => {
    const { recorder, client, stop } = await recording(POD);
    client.link = 'down';
    for (let number = 0; number < 5000; number += 1) recorder.record({ ...broken, message: `number ${number}` });
    await vi.advanceTimersByTimeAsync(10);

    client.link = 'up';
    await stop();

    expect(client.requests.length).toBeLessThanOrEqual(101);
  });

  it('cuts a message to what Kubernetes shows', async () => {
    const { recorder, events } = await recording(POD);

    recorder.record({ ...broken, message: 'x'.repeat(5000) });
    await vi.advanceTimersByTimeAsync(1000);

    const [event = {}] = await events();
    expect(textAt(event, 'message')).toHaveLength(1024);
  });

  it('says once that it is forbidden, with the rule that is missing, and asks again rarely', async () => {
    const { recorder, client, lines, events } = await recording(POD);
    client.refuse = () => 403;
    for (let minute = 0; minute < 60; minute += 1) {
      recorder.record({ ...broken, message: `minute ${minute}` });
      await vi.advanceTimersByTimeAsync(60_000);
    }

    expect(lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      'info cannot write Events about the pod until a Role allows it',
    ]);
    expect(lines[0]?.fields['missingRule']).toBe('{apiGroups: [""], resources: [events], verbs: [create, patch]}');
    expect(client.requests.length).toBeLessThanOrEqual(6);
    client.refuse = () => undefined;
    await vi.advanceTimersByTimeAsync(600_000);
    recorder.record(broken);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await events()).toHaveLength(1);
  });

  it('tries again when the API server is away for a while', async () => {
    const { recorder, client, events, lines } = await recording(POD);
    client.link = 'down';
    recorder.record(broken);
    await vi.advanceTimersByTimeAsync(35_000);

    client.link = 'up';
    await vi.advanceTimersByTimeAsync(35_000);

    expect(await events()).toMatchObject([{ reason: 'HookBroken', count: 1 }]);
    expect(lines).toEqual([]);
  });

  it('gives up what cannot be written, and goes on', async () => {
    const { recorder, client, events, lines } = await recording(POD);
    client.refuse = ({ body }) => (body['reason'] === 'Odd' ? 422 : undefined);

    recorder.record({ ...broken, reason: 'Odd' });
    recorder.record(broken);
    await vi.advanceTimersByTimeAsync(1000);

    expect(await events()).toMatchObject([{ reason: 'HookBroken' }]);
    expect(lines.map(({ level }) => level)).toEqual(['debug']);
  });

  it('sends at the end what waits still, and ends soon when that does not work', async () => {
    const written = await recording(POD);
    written.recorder.record(broken);
    await written.stop();
    expect(await written.events()).toHaveLength(1);

    const unreachable = await recording(POD);
    unreachable.client.link = 'down';
    unreachable.recorder.record(broken);
    await unreachable.stop();
  });

  it('does nothing without a Pod', async () => {
    const { recorder, client, stop } = await recording();

    recorder.record(broken);
    await vi.advanceTimersByTimeAsync(1000);
    await stop();

    expect(client.requests).toEqual([]);
  });
});

describe('an Event about another object', () => {
  const web = { apiVersion: 'example.com/v1', kind: 'WebSite', namespace: 'shop', name: 'web', uid: 'u-2' };
  const spoken: RecordedEvent = { type: 'Normal', reason: 'Spoken', message: 'hello', about: web };

  async function shopEvents({ sandbox }: Rig): Promise<readonly JsonObject[]> {
    const { body } = await sandbox.call('GET', '/api/v1/namespaces/shop/events');
    return isJsonObject(body) ? objectsAt(body, 'items') : [];
  }

  async function inShop(...pods: readonly OwnPod[]): Promise<Rig> {
    const rig = await recording(...pods);
    await rig.sandbox.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    return rig;
  }

  it('is in the namespace of the object, counts up, and needs no own Pod', async () => {
    const rig = await inShop();

    rig.recorder.record(spoken);
    await vi.advanceTimersByTimeAsync(100);
    rig.recorder.record(spoken);
    await vi.advanceTimersByTimeAsync(100);

    expect(await shopEvents(rig)).toMatchObject([
      {
        type: 'Normal',
        reason: 'Spoken',
        message: 'hello',
        metadata: { name: expect.stringMatching(/^web\.[0-9a-f]+$/), namespace: 'shop' },
        involvedObject: web,
        count: 2,
      },
    ]);
    expect((await shopEvents(rig))[0]).not.toHaveProperty('about');
  });

  it('is in the namespace default for a cluster-scoped object, whatever its name', async () => {
    const { recorder, events } = await recording(POD);
    const about = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'System:Odd..Name' };

    recorder.record({ ...spoken, about });
    await vi.advanceTimersByTimeAsync(100);

    expect(await events()).toMatchObject([
      { metadata: { name: expect.stringMatching(/^system-odd\.name\.[0-9a-f]+$/) }, involvedObject: about },
    ]);
  });

  it('does not hold up those about the Pod, however many there are', async () => {
    const rig = await inShop(POD);
    for (let number = 0; number < 200; number += 1) rig.recorder.record({ ...spoken, message: `number ${number}` });
    rig.recorder.record(broken);
    await vi.advanceTimersByTimeAsync(2000);

    expect(await rig.events()).toHaveLength(1);
    expect(await shopEvents(rig)).toHaveLength(25);
  });

  it('goes through when another namespace forbids Events, which is said once', async () => {
    const rig = await inShop(POD);
    rig.client.refuse = ({ path }) => (path.includes('/shop/') ? 403 : undefined);
    for (let number = 0; number < 5; number += 1) {
      rig.recorder.record({ ...spoken, message: `number ${number}` });
      rig.recorder.record({ ...broken, message: `number ${number}` });
      await vi.advanceTimersByTimeAsync(1000);
    }

    expect(await rig.events()).toHaveLength(5);
    expect(rig.lines.map(({ message }) => message)).toEqual([
      'cannot write Events about objects until a Role allows it',
    ]);
    expect(rig.client.requests.filter(({ path }) => path.includes('/shop/'))).toHaveLength(1);
  });
});
