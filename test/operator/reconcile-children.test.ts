import { describe, expect, it } from 'vitest';
import { objectAt, sandboxForTest } from '@hooklet/sandbox/testing';
import { marksOf } from '../../src/effects/children/marks.ts';
import { finalizerOf, reconcileMark } from '../../src/hook/reconcile-mark.ts';
import { recordingHook, sandboxCluster, startOperator, until } from '../support/operator-rig.ts';

const CONFIG = {
  configVersion: 'v1',
  reconcile: [
    {
      name: 'sites',
      apiVersion: 'v1',
      kind: 'ConfigMap',
      labelSelector: { matchLabels: { site: 'yes' } },
      owns: [{ apiVersion: 'v1', kind: 'Secret', otherNamespaces: true }],
      finalize: true,
    },
  ],
};
const BINDING = { name: 'sites', kind: 'ConfigMap', apiVersion: 'v1' };

/** The children that the hook wants: those whose names the object's data has. */
const ANSWER = `
"$NODE" -e '
  const { readFileSync, writeFileSync } = require("node:fs");
  const [{ object, finalizing }] = JSON.parse(readFileSync(process.env.BINDING_CONTEXT_PATH, "utf8"));
  const children = Object.entries(object.data ?? {}).map(([name, namespace]) => {
    return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace } };
  });
  writeFileSync(process.env.RESULT_PATH, JSON.stringify({ children, finalized: finalizing }));
'`;

function siteOf(data: Readonly<Record<string, string>>) {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'default', labels: { site: 'yes' } },
    data,
  };
}

describe('the children of an object', () => {
  it('have the same mark for all who look for it', () => {
    expect(marksOf(BINDING.name, BINDING).binding).toBe(reconcileMark(BINDING));
  });

  it('are made, made again when deleted, deleted when no longer wanted, and with the object', async () => {
    const sandbox = await sandboxForTest();
    await using operator = startOperator({
      hooks: { 'site.sh': recordingHook(CONFIG, ANSWER) },
      connect: sandboxCluster(sandbox),
      env: { NODE: process.execPath },
    });
    const base = sandbox.url;
    const headers = { authorization: `Bearer ${sandbox.token}` };
    const call = async (path: string, method = 'GET') => {
      const response = await fetch(`${base}/api/v1/namespaces/${path}`, { method, headers });
      return { status: response.status, text: await response.text() };
    };
    const isThere = async (path: string): Promise<boolean> => (await call(path)).status === 200;

    await sandbox.apply(siteOf({ one: 'default', two: 'kube-system' }));
    await until(async () => {
      expect(await isThere('default/secrets/one')).toBe(true);
      expect(await isThere('kube-system/secrets/two')).toBe(true);
    });
    expect((await call('default/configmaps/a')).text).toContain(finalizerOf(BINDING));
    expect(operator.contexts('site.sh')[0]).toMatchObject({ owned: { Secret: [] } });

    await call('default/secrets/one', 'DELETE');
    await until(async () => expect(await isThere('default/secrets/one')).toBe(true));

    await sandbox.apply(siteOf({ two: 'kube-system' }));
    await until(async () => expect(await isThere('default/secrets/one')).toBe(false));
    expect(await isThere('kube-system/secrets/two')).toBe(true);

    await call('default/configmaps/a', 'DELETE');
    await until(async () => expect(await isThere('default/configmaps/a')).toBe(false));
    expect(await isThere('kube-system/secrets/two')).toBe(false);
    expect(operator.contexts('site.sh').at(-1)).toMatchObject({ finalizing: true });
  });

  it('are made again where their kind is not watched from before they were made until after they were deleted', async () => {
    const sandbox = await sandboxForTest();
    await using operator = startOperator({
      hooks: { 'site.sh': recordingHook(CONFIG, ANSWER) },
      connect: sandboxCluster(sandbox),
      env: { NODE: process.execPath },
    });
    const path = '/api/v1/namespaces/default/secrets/one';
    const uidOf = async (): Promise<unknown> =>
      objectAt(Object((await sandbox.call('GET', path)).body), 'metadata')['uid'];
    await sandbox.apply(siteOf({}));
    await until(() => expect(operator.contexts('site.sh')).toHaveLength(1));

    const secrets = { pattern: '^/api/v1/secrets[?].*watch' };
    const mend = sandbox.faults.add({ ...secrets, type: 'status', code: 503 });
    expect(sandbox.dropWatches(secrets)).toBe(1);
    await sandbox.apply(siteOf({ one: 'default' }));
    await until(async () => expect(await uidOf()).toBeDefined());
    const uid = await uidOf();
    await sandbox.call('DELETE', path);
    expect(await uidOf()).toBeUndefined();
    // The watch cannot begin where it ended, so that all is listed.
    sandbox.expire();
    mend();

    await until(async () => expect(await uidOf()).toBeDefined());
    expect(await uidOf()).not.toBe(uid);
  });
});
