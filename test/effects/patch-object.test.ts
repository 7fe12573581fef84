import { describe, expect, it } from 'vitest';
import { converse } from '../support/patch-rig.ts';
import { refusal } from '../support/kube-conversation.ts';

const path = '/api/v1/namespaces/default/pods/web';
const target = { kind: 'Pod', namespace: 'default', name: 'web' };
const answer = { metadata: { resourceVersion: '5' } };
const missing = refusal(404, 'NotFound', 'pods "web" not found');

describe.each([
  {
    operation: { operation: 'MergePatch', ...target, mergePatch: { metadata: { labels: null } } },
    contentType: 'application/merge-patch+json',
    body: { metadata: { labels: null } },
  },
  {
    operation: { operation: 'JSONPatch', ...target, jsonPatch: '[{"op":"remove","path":"/spec"}]' },
    contentType: 'application/json-patch+json',
    body: [{ op: 'remove', path: '/spec' }],
  },
])('$operation.operation', ({ operation, contentType, body }) => {
  it('sends the patch as the hook wrote it', async () => {
    const { applied, requests, bodies } = await converse({
      operations: [operation],
      script: [[`PATCH ${path}`, answer]],
    });

    expect(requests).toMatchObject([{ contentType }]);
    expect(bodies).toEqual([body]);
    expect(applied).toMatchObject([{ change: 'patched', resourceVersion: '5' }]);
  });

  it('goes to the subresource', async () => {
    const { applied } = await converse({
      operations: [{ ...operation, subresource: '/status' }],
      script: [[`PATCH ${path}/status`, answer]],
    });

    expect(applied).toMatchObject([{ target: 'v1/Pod/default/web/status' }]);
  });

  it('fails when the object is missing', async () => {
    const { message } = await converse({ operations: [operation], script: [[`PATCH ${path}`, missing]] });

    expect(message).toContain('pods "web" not found');
  });

  it('does not fail when the object is missing and may be', async () => {
    const { applied, error } = await converse({
      operations: [{ ...operation, ignoreMissingObject: true }],
      script: [[`PATCH ${path}`, missing]],
    });

    expect(error).toBeUndefined();
    expect(applied).toMatchObject([{ change: 'absent' }]);
  });

  it('is not tried again after a conflict, which the hook must resolve', async () => {
    const { message } = await converse({
      operations: [operation],
      script: [[`PATCH ${path}`, refusal(409, 'Conflict', 'the object has been modified')]],
    });

    expect(message).toContain('the object has been modified');
  });
});

describe('Apply', () => {
  const object = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'default', uid: 'u', resourceVersion: '1', managedFields: [{}] },
  };

  it('sends the object for the field manager hooklet', async () => {
    const { applied, requests, bodies } = await converse({
      operations: [{ operation: 'Apply', object }],
      script: [[`PATCH ${path}?fieldManager=hooklet`, answer]],
    });

    expect(requests).toMatchObject([{ contentType: 'application/apply-patch+yaml' }]);
    expect(bodies).toEqual([{ ...object, metadata: { name: 'web', namespace: 'default' } }]);
    expect(applied).toMatchObject([{ change: 'applied', resourceVersion: '5' }]);
  });

  it('takes over fields with force, for a manager of one’s own', async () => {
    const { error } = await converse({
      operations: [{ operation: 'Apply', object, fieldManager: 'me', force: true, subresource: 'status' }],
      script: [[`PATCH ${path}/status?fieldManager=me&force=true`, answer]],
    });

    expect(error).toBeUndefined();
  });

  it('is not tried again when another manager owns a field', async () => {
    const { message } = await converse({
      operations: [{ operation: 'Apply', object }],
      script: [[`PATCH ${path}?fieldManager=hooklet`, refusal(409, 'Conflict', 'conflict with "kubectl"')]],
    });

    expect(message).toContain('operation 1, Apply v1/Pod/default/web: conflict with "kubectl"');
  });
});
