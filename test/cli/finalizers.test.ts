import { describe, expect, it, onTestFinished } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { listFinalizers, releaseFinalizers } from '../../src/cli/finalizers.ts';
import { finalizerOf } from '../../src/hook/reconcile-mark.ts';
import { createKinds } from '../../src/kube/discovery/kinds.ts';
import { createKubeClient } from '../../src/kube/kube-client.ts';
import { sandboxCluster } from '../support/operator-rig.ts';

const OURS = finalizerOf({ name: 'sites', kind: 'ConfigMap', apiVersion: 'v1' });
const THEIRS = finalizerOf({ name: 'others', kind: 'ConfigMap', apiVersion: 'v1' });

async function finalizersRig() {
  const sandbox = await sandboxForTest();
  const client = createKubeClient(await sandboxCluster(sandbox)(), { userAgent: 'test' });
  onTestFinished(async () => client.close());
  const put = async (name: string, finalizers: readonly string[]) =>
    sandbox.apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: 'default', finalizers: [...finalizers] },
    });
  await put('a', [OURS, 'example.com/kept']);
  await put('b', [THEIRS]);
  await put('c', ['example.com/kept']);
  let printed = '';
  const stdout = (text: string): void => void (printed += text);
  const io = { client, kinds: createKinds(client), stdout, signal: new AbortController().signal };
  return {
    io,
    take: () => {
      const text = printed;
      printed = '';
      return text;
    },
  };
}

describe('hooklet finalizers', () => {
  it('lists the finalizers of hooklet alone', async () => {
    const { io, take } = await finalizersRig();

    expect(await listFinalizers({ kind: 'configmaps' }, io)).toBe(0);

    expect(take()).toBe(`${OURS} from ConfigMap default/a\n${THEIRS} from ConfigMap default/b\n`);
  });

  it('shows what it would remove, removes it only with --yes, and leaves what is of others', async () => {
    const { io, take } = await finalizersRig();
    const query = { kind: 'ConfigMap', binding: 'sites' };

    await releaseFinalizers(query, false, io);
    expect(take()).toBe(
      `would remove ${OURS} from ConfigMap default/a\nnothing is changed; add --yes to remove them\n`,
    );
    await releaseFinalizers(query, true, io);
    expect(take()).toBe(`removed ${OURS} from ConfigMap default/a\n`);
    await listFinalizers({ kind: 'cm' }, io);

    expect(take()).toBe(`${THEIRS} from ConfigMap default/b\n`);
    const path = '/api/v1/namespaces/default/configmaps/a';
    expect(await io.client.request({ method: 'GET', path }, io.signal)).toMatchObject({
      metadata: { finalizers: ['example.com/kept'] },
    });
  });

  it('looks at a single object where one is named', async () => {
    const { io, take } = await finalizersRig();

    await listFinalizers({ kind: 'ConfigMap', object: 'default/c' }, io);

    expect(take()).toBe('no finalizers of hooklet\n');
    await expect(listFinalizers({ kind: 'ConfigMap', object: 'c' }, io)).rejects.toThrow(
      '--object: got c, expected namespace/name for ConfigMap',
    );
  });
});
