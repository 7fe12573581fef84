import { describe, expect, it } from 'vitest';
import { converse } from '../support/patch-rig.ts';
import { refusal } from '../support/kube-conversation.ts';

const object = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name: 'cm', resourceVersion: '3', uid: 'u', managedFields: [] },
  data: { a: '1' },
};
const sent = { ...object, metadata: { namespace: 'default', name: 'cm' } };
const live = { ...object, metadata: { ...object.metadata, resourceVersion: '7' } };
const maps = '/api/v1/namespaces/default/configmaps';
const exists = refusal(409, 'AlreadyExists', 'configmaps "cm" already exists');
const lost = refusal(0, 'ECONNRESET', 'no answer');

describe('Create', () => {
  it('posts the object without what only the server may say', async () => {
    const { applied, bodies } = await converse({
      operations: [{ operation: 'Create', object }],
      script: [[`POST ${maps}`, live]],
    });

    expect(bodies).toEqual([sent]);
    expect(applied).toMatchObject([{ target: 'v1/ConfigMap/default/cm', change: 'created', resourceVersion: '7' }]);
  });

  it('fails when the object exists', async () => {
    const { message } = await converse({
      operations: [{ operation: 'Create', object }],
      script: [[`POST ${maps}`, exists]],
    });

    expect(message).toContain('operation 1, Create v1/ConfigMap/default/cm: configmaps "cm" already exists');
  });

  it('succeeds when the object is the one that an attempt without an answer made', async () => {
    const { applied } = await converse({
      operations: [{ operation: 'Create', object }],
      script: [
        [`POST ${maps}`, lost],
        [`POST ${maps}`, exists],
        [`GET ${maps}/cm`, { ...live, extra: 'a default' }],
      ],
    });

    expect(applied).toMatchObject([{ change: 'created', resourceVersion: '7' }]);
  });

  it('fails when, after an attempt without an answer, the object is another', async () => {
    const { message } = await converse({
      operations: [{ operation: 'Create', object }],
      script: [
        [`POST ${maps}`, lost],
        [`POST ${maps}`, exists],
        [`GET ${maps}/cm`, { ...live, data: { a: '2' } }],
      ],
    });

    expect(message).toContain('already exists');
  });

  it('never sends an object again whose name the server makes', async () => {
    const generated = { ...object, metadata: { namespace: 'default', generateName: 'cm-' } };
    const { message } = await converse({
      operations: [{ operation: 'Create', object: generated }],
      script: [[`POST ${maps}`, lost]],
    });

    expect(message).toContain('Create v1/ConfigMap/default/cm-*: no answer');
  });

  it('posts to the subresource of another object', async () => {
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { namespace: 'default', name: 'web' } };
    const { applied } = await converse({
      operations: [{ operation: 'Create', kind: 'Pod', name: 'web', subresource: 'eviction', object: eviction }],
      script: [['POST /api/v1/namespaces/default/pods/web/eviction', { kind: 'Status' }]],
    });

    expect(applied).toMatchObject([{ target: 'v1/Pod/default/web/eviction', change: 'created' }]);
  });
});

describe('CreateIfNotExists', () => {
  it('leaves an object that exists as it is', async () => {
    const { applied } = await converse({
      operations: [{ operation: 'CreateIfNotExists', object }],
      script: [[`POST ${maps}`, exists]],
    });

    expect(applied).toMatchObject([{ change: 'unchanged' }]);
  });
});

describe('CreateOrUpdate with a name the server makes', () => {
  it('is a Create', async () => {
    const generated = { ...sent, metadata: { namespace: 'default', generateName: 'cm-' } };
    const { applied } = await converse({
      operations: [{ operation: 'CreateOrUpdate', object: generated }],
      script: [[`POST ${maps}`, live]],
    });

    expect(applied).toMatchObject([{ change: 'created' }]);
  });
});
