import { describe, expect, it } from 'vitest';
import { IMMORTAL_NAMESPACES, INITIAL_NAMESPACES } from '../src/namespaces.ts';
import { asking, sandboxForTest } from './support/sandbox.ts';

describe('namespaces', () => {
  it('the usual ones are there from the start', async () => {
    const { body } = await asking(await sandboxForTest())('GET', '/api/v1/namespaces');

    expect(body).toMatchObject({
      items: INITIAL_NAMESPACES.map((name) => ({
        metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
        spec: { finalizers: ['kubernetes'] },
        status: { phase: 'Active' },
      })),
    });
  });

  it.each(IMMORTAL_NAMESPACES)('%s cannot be deleted', async (name) => {
    expect((await asking(await sandboxForTest())('DELETE', `/api/v1/namespaces/${name}`)).body).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: `namespaces "${name}" is forbidden: this namespace may not be deleted`,
    });
  });

  it('while one is going nothing new comes into it', async () => {
    const sandbox = await sandboxForTest();
    const ask = asking(sandbox);
    await sandbox.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } });
    const metadata = { name: 'a', namespace: 'n', finalizers: ['example.com/hold'] };
    await sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
    await ask('DELETE', '/api/v1/namespaces/n');

    expect((await ask('POST', '/api/v1/namespaces/n/configmaps', { metadata: { name: 'b' } })).body).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message:
        'configmaps "b" is forbidden: unable to create new content in namespace n because it is being terminated',
      details: { causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }] },
    });
  });
});
