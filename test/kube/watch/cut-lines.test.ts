import { expect, it, onTestFinished } from 'vitest';
import { sandboxForTest, textAt } from '@hooklet/sandbox/testing';
import type { ResourceKind } from '../../../src/kube/kind.ts';
import type { KubeClient } from '../../../src/kube/client.ts';
import { createKinds } from '../../../src/kube/discovery/kinds.ts';
import { createKubeClient } from '../../../src/kube/kube-client.ts';
import { createListWatch } from '../../../src/kube/watch/list-watch.ts';
import { reflect, RelistRequests } from '../../../src/kube/watch/reflector.ts';
import { configMap, CONFIG_MAPS_PATH, currentCluster } from '../../support/fault-rig.ts';
import { until } from '../../support/operator-rig.ts';

it.each([
  ['reset', 'hangUp'],
  ['ended as if it were whole', 'truncate'],
] as const)(
  'a watch that is %s at any byte of a line brings every version once, and lists once',
  { timeout: 180_000 },
  async (_how, type) => {
    const sandbox = await sandboxForTest();
    const client = createKubeClient(await currentCluster(sandbox)(), { userAgent: 'hooklet-test' });
    onTestFinished(async () => client.close());
    const never = new AbortController().signal;
    const kind = await createKinds(client).resolve({ kind: 'ConfigMap' }, never);
    const sample = await sandbox.apply(configMap('object-000', '0'));
    const line = `${JSON.stringify({ type: 'MODIFIED', object: sample })}\n`;
    const followers = Array.from(line, (_byte, index) => follow(client, kind, index));
    const asked = (wanted: boolean) =>
      sandbox.requests.filter(({ query, watch }) => watch && query.includes('sendInitialEvents') === wanted).length;
    await until(() => expect(followers.every(({ isListed }) => isListed())).toBe(true));
    expect(asked(true)).toBe(line.length);

    // Each watch is reopened, and cut after another number of bytes when its next event comes.
    followers.forEach(({ name }, index) => {
      sandbox.faults.add({ type, afterBytes: index + 1, path: CONFIG_MAPS_PATH, pattern: name, times: 1 });
    });
    sandbox.dropWatches();
    await until(() => expect(asked(false)).toBeGreaterThanOrEqual(line.length));
    const written = new Map<string, string[]>();
    for (const value of ['1', '2']) {
      for (const { name } of followers) {
        const applied = await sandbox.apply(configMap(name, value));
        written.set(name, [...(written.get(name) ?? []), textAt(applied, 'metadata', 'resourceVersion')]);
      }
    }

    const seen = () => new Map(followers.map(({ name, versions }) => [name, versions]));
    await until(() => expect(seen()).toEqual(written));
    expect(sandbox.faults.active).toEqual([]);
    expect(asked(true)).toBe(line.length);
  },
);

/** Watches one ConfigMap. */
function follow(client: KubeClient, kind: ResourceKind, index: number) {
  const name = `object-${String(index).padStart(3, '0')}`;
  const controller = new AbortController();
  const versions: string[] = [];
  let isListed = false;
  const source = createListWatch(
    client,
    { kind, namespace: 'default', fieldSelector: `metadata.name=${name}` },
    { withoutStreaming: new Set(), onContact() {}, onOpen() {}, onLateList() {}, random: () => 0 },
  );
  const { signal } = controller;
  const options = { signal, relists: new RelistRequests(), onRestart() {}, random: () => 0, now: Date.now };
  const running = (async () => {
    for await (const event of reflect(source, options)) {
      isListed ||= event.type === 'InitDone';
      if (event.type === 'Apply') versions.push(event.object.resourceVersion);
    }
  })();
  onTestFinished(async () => {
    controller.abort();
    await running;
  });
  return { name, versions, isListed: () => isListed };
}
