import { describe, expect, it } from 'vitest';
import type { PatchOperation } from '../../src/effects/operation.ts';
import { PatchMemory } from '../../src/effects/patch-memory.ts';
import { locate, retrying, written, type PatchSession } from '../../src/effects/patch-session.ts';
import { fixedKinds, kubeConversation, refusal, resourceKind } from '../support/kube-conversation.ts';
import { recordingLogger } from '../support/recording-logger.ts';

const remove = { operation: 'Delete', target: { kind: 'Pod' }, name: 'a:b', ignoreHookError: false } as const;

describe('where an operation goes', () => {
  it('is found by discovery, with every part escaped', async () => {
    const operation: PatchOperation = { ...remove, namespace: 'ns', subresource: 'status' };

    expect(await locate(session(), operation)).toMatchObject({
      collection: '/api/v1/namespaces/ns/pods',
      object: '/api/v1/namespaces/ns/pods/a%3Ab',
      path: '/api/v1/namespaces/ns/pods/a%3Ab/status',
    });
  });

  it('needs no namespace for a kind without namespaces, and ignores one', async () => {
    const operation: PatchOperation = { ...remove, target: { kind: 'Node' }, namespace: 'ns' };

    expect(await locate(session(), operation)).toMatchObject({ object: '/api/v1/nodes/a%3Ab' });
  });

  it.each<[string, { name?: string; namespace?: string; subresource?: string }]>([
    ['name', { name: '..' }],
    ['namespace', { namespace: '../../nodes' }],
    ['subresource', { subresource: 'a/../..' }],
  ])('is nowhere where the %s leads elsewhere', async (_field, change) => {
    await expect(locate(session(), { ...remove, namespace: 'ns', ...change })).rejects.toThrow(
      'is not allowed in a request path',
    );
  });

  it('is unknown without the namespace of a namespaced kind', async () => {
    await expect(locate(session(), remove)).rejects.toThrow('namespace is missing: Pod is a namespaced kind');
  });
});

describe('what a write changed', () => {
  const answer = { metadata: { resourceVersion: '5' } };

  it('is nothing when the object has the version we know', async () => {
    const known = session();
    const place = await locate(known, { ...remove, namespace: 'ns' });

    expect(written(known, place, { answer, change: 'patched' })).toEqual({ change: 'patched', resourceVersion: '5' });
    expect(written(known, place, { answer, change: 'patched' })).toEqual({ change: 'unchanged', resourceVersion: '5' });
  });

  it('is what was asked when the answer is no object', async () => {
    const place = await locate(session(), { ...remove, namespace: 'ns' });

    expect(written(session(), place, { answer: { kind: 'Status' }, change: 'created' })).toEqual({ change: 'created' });
  });
});

it('what is tried again is logged', async () => {
  const log = recordingLogger();
  let tries = 0;
  await retrying({ ...session(), log }, { retriesConflicts: true, retriesLost: true }, async () => {
    tries += 1;
    if (tries === 1) throw refusal(409, 'Conflict', 'modified');
  });

  expect(log.lines).toMatchObject([{ level: 'debug', message: 'patch operation retried', fields: { delayMs: 10 } }]);
});

function session(): PatchSession {
  return {
    client: kubeConversation([]),
    kinds: fixedKinds([resourceKind('v1', 'Pod'), resourceKind('v1', 'Node', false)]),
    compileJq: undefined,
    memory: new PatchMemory(),
    signal: new AbortController().signal,
    log: recordingLogger(),
  };
}
