import { describe, expect, it } from 'vitest';
import { PatchError } from '../../src/errors.ts';
import { converse } from '../support/patch-rig.ts';
import { refusal } from '../support/kube-conversation.ts';

const remove = (name: string) => ({ operation: 'DeleteInBackground', kind: 'Pod', namespace: 'default', name });
const pod = (name: string) => `/api/v1/namespaces/default/pods/${name}`;

describe('operations of one run', () => {
  it('are carried out in order', async () => {
    const { applied, error } = await converse({
      operations: [remove('a'), remove('b')],
      script: [
        [`DELETE ${pod('a')}`, { kind: 'Status' }],
        [`DELETE ${pod('b')}`, { kind: 'Status' }],
      ],
    });

    expect(error).toBeUndefined();
    expect(applied).toEqual([
      { index: 1, operation: 'DeleteInBackground', target: 'v1/Pod/default/a', change: 'deleted' },
      { index: 2, operation: 'DeleteInBackground', target: 'v1/Pod/default/b', change: 'deleted' },
    ]);
  });

  it('are all tried when some fail, and the error names each with index, target and the words of the API', async () => {
    const { applied, error, message } = await converse({
      operations: [
        remove('a'),
        { operation: 'Delete', kind: 'Nothing', name: 'x' },
        remove('c'),
        {
          operation: 'MergePatch',
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          namespace: 'ns',
          name: 'web',
          mergePatch: { a: 1 },
        },
      ],
      script: [
        [`DELETE ${pod('a')}`, refusal(403, 'Forbidden', 'pods "a" is forbidden')],
        [`DELETE ${pod('c')}`, { kind: 'Status' }],
        ['PATCH /apis/apps/v1/namespaces/ns/deployments/web', refusal(422, 'Invalid', 'a is not a field')],
      ],
    });

    expect(error).toBeInstanceOf(PatchError);
    expect(message.split('\n')).toEqual([
      '3 of 4 patch operation(s) failed:',
      '  operation 1, DeleteInBackground v1/Pod/default/a: pods "a" is forbidden',
      '  operation 2, Delete Nothing/x: no kind Nothing',
      '  operation 4, MergePatch apps/v1/Deployment/ns/web: a is not a field',
    ]);
    expect(applied.map(({ index }) => index)).toEqual([3]);
  });

  it('do not flood the log when all fail', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `p${index}`);

    const { message } = await converse({
      operations: names.map(remove),
      script: names.map((name) => [`DELETE ${pod(name)}`, refusal(403, 'Forbidden', 'no')] as const),
    });

    expect(message.split('\n')).toHaveLength(52);
    expect(message).toMatch(/\n {2}and 10 more$/);
  });

  it('are not sent any more once the run is stopped', async () => {
    const { message } = await converse({ operations: [remove('a')], script: [], signal: AbortSignal.abort() });

    expect(message).toContain('operation 1, DeleteInBackground Pod/default/a: not sent, because the run was stopped');
  });

  it.each([
    {
      title: 'an object',
      operation: { operation: 'Create', object: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' } } },
      problem: 'object.metadata.namespace is missing: Pod is a namespaced kind',
    },
    {
      title: 'a patch',
      operation: { operation: 'MergePatch', kind: 'Pod', name: 'x', mergePatch: { a: 1 } },
      problem: 'Pod/x: namespace is missing: Pod is a namespaced kind',
    },
  ])('need a namespace where the kind has namespaces: $title', async ({ operation, problem }) => {
    const { message } = await converse({ operations: [operation], script: [] });

    expect(message).toContain(problem);
  });

  it.each([
    { operation: 'Delete', kind: 'Pod', name: 'x' },
    { operation: 'DeleteInBackground', kind: 'Pod', name: 'x' },
    { operation: 'DeleteNonCascading', kind: 'Pod', name: 'x' },
    { operation: 'MergePatch', kind: 'Pod', name: 'x', mergePatch: { a: 1 }, ignoreMissingObject: true },
    { operation: 'JSONPatch', kind: 'Pod', name: 'x', jsonPatch: '[]', ignoreMissingObject: true },
  ])('find no object without a namespace, which is no failure of $operation', async (operation) => {
    const { applied, message, log } = await converse({ operations: [operation], script: [] });

    expect(message).toBe('');
    expect(applied).toMatchObject([{ change: 'absent' }]);
    expect(log.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
  });

  it('need none where the kind has none', async () => {
    const { applied } = await converse({
      operations: [{ operation: 'DeleteInBackground', kind: 'Namespace', name: 'old' }],
      script: [['DELETE /api/v1/namespaces/old', { kind: 'Namespace' }]],
    });

    expect(applied[0]?.target).toBe('v1/Namespace/old');
  });

  it('ask for the kind again when its path is not served any more', async () => {
    const gone = refusal(404, 'NotFound', 'the server could not find the requested resource');
    const { kinds, error } = await converse({
      operations: [remove('a')],
      script: [
        [`DELETE ${pod('a')}`, gone],
        [`DELETE ${pod('a')}`, { kind: 'Status' }],
      ],
    });

    expect(kinds.invalidations()).toBe(1);
    expect(error).toBeUndefined();
  });
});
