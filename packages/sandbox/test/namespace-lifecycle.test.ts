import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../src/json.ts';
import type { Sandbox } from '../src/sandbox.ts';
import { openWatch, sandboxForTest } from './support/sandbox.ts';

async function withNamespace(finalizers: readonly string[] = []): Promise<Sandbox> {
  const sandbox = await sandboxForTest();
  await sandbox.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } });
  const metadata: JsonObject = { name: 'a', namespace: 'n', finalizers };
  await sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
  return sandbox;
}

async function codeOf(sandbox: Sandbox, path: string): Promise<number> {
  return (await sandbox.call('GET', path)).code;
}

describe('the end of a namespace', () => {
  it('everything in it goes, and then it goes', async () => {
    const sandbox = await withNamespace();
    const spec = { containers: [{ name: 'c', image: 'i' }], nodeName: 'node' };
    await sandbox.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'n' }, spec });

    const { body } = await sandbox.call('DELETE', '/api/v1/namespaces/n');

    expect(body).toMatchObject({ status: { phase: 'Terminating' }, spec: { finalizers: ['kubernetes'] } });
    expect(await codeOf(sandbox, '/api/v1/namespaces/n/configmaps/a')).toBe(404);
    expect(await codeOf(sandbox, '/api/v1/namespaces/n/pods/p')).toBe(404);
    expect(await codeOf(sandbox, '/api/v1/namespaces/n')).toBe(404);
  });

  it('it waits for what is held by finalizers', async () => {
    const sandbox = await withNamespace(['example.com/hold']);
    await sandbox.call('DELETE', '/api/v1/namespaces/n');
    expect(await codeOf(sandbox, '/api/v1/namespaces/n')).toBe(200);

    const patch = { metadata: { finalizers: null } };
    await sandbox.call('PATCH', '/api/v1/namespaces/n/configmaps/a', patch, 'application/merge-patch+json');

    expect(await codeOf(sandbox, '/api/v1/namespaces/n')).toBe(404);
  });

  it('a watch sees it terminating, emptied and gone', async () => {
    const sandbox = await withNamespace();
    const watch = await openWatch(sandbox, `/api/v1/namespaces?watch=1&resourceVersion=${sandbox.resourceVersion}`);

    await sandbox.call('DELETE', '/api/v1/namespaces/n');

    expect(await watch.next()).toMatchObject({ type: 'MODIFIED', object: { status: { phase: 'Terminating' } } });
    expect(await watch.next()).toMatchObject({ type: 'DELETED', object: { metadata: { name: 'n' } } });
  });

  it('what belongs to others stays', async () => {
    const sandbox = await withNamespace();
    await sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } });

    await sandbox.call('DELETE', '/api/v1/namespaces/n');

    expect(await codeOf(sandbox, '/api/v1/namespaces/default/configmaps/a')).toBe(200);
  });
});
