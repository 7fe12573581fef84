import { describe, expect, it } from 'vitest';
import { PatchMemory } from '../../src/effects/patch-memory.ts';
import { converse } from '../support/patch-rig.ts';
import { refusal } from '../support/kube-conversation.ts';

const object = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name: 'cm', resourceVersion: '3' },
};
const second = { ...object, metadata: { namespace: 'default', name: 'second' } };
const third = { ...object, metadata: { namespace: 'default', name: 'third' } };
const operation = { operation: 'CreateOrUpdate', object };
const maps = '/api/v1/namespaces/default/configmaps';
const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { namespace: 'default', name: 'w' } };
const widgets = '/apis/example.com/v1/namespaces/default/widgets';
const missing = refusal(404, 'NotFound', '"cm" not found');
const exists = refusal(409, 'AlreadyExists', 'already exists');
const forbidden = refusal(403, 'Forbidden', 'may not update');
const conflict = refusal(409, 'Conflict', 'the object has been modified');

describe('CreateOrUpdate', () => {
  it('takes one request for a built-in object that exists, whatever version the hook saw', async () => {
    const { applied, bodies } = await converse({
      operations: [operation],
      script: [[`PUT ${maps}/cm`, at(object, '8')]],
    });

    expect(bodies).toEqual([{ ...object, metadata: { namespace: 'default', name: 'cm' } }]);
    expect(applied).toMatchObject([{ change: 'updated', resourceVersion: '8' }]);
  });

  it('creates what is missing', async () => {
    const { applied } = await converse({
      operations: [operation],
      script: [
        [`PUT ${maps}/cm`, missing],
        [`POST ${maps}`, at(object, '9')],
      ],
    });

    expect(applied).toMatchObject([{ change: 'created', resourceVersion: '9' }]);
  });

  it('takes one request for each further object of a kind that is new', async () => {
    const { applied } = await converse({
      operations: [operation, { operation: 'CreateOrUpdate', object: second }],
      script: [
        [`PUT ${maps}/cm`, missing],
        [`POST ${maps}`, at(object, '9')],
        [`POST ${maps}`, at(second, '10')],
      ],
    });

    expect(applied).toMatchObject([{ change: 'created' }, { change: 'created', resourceVersion: '10' }]);
  });

  it.each([
    ['is there all the same', exists],
    ['may not be created', forbidden],
  ])('updates what was taken for new and %s, and takes no more for new', async (_, refused) => {
    const memory = new PatchMemory();
    const first = await converse({
      operations: [operation, { operation: 'CreateOrUpdate', object: second }],
      script: [
        [`PUT ${maps}/cm`, missing],
        [`POST ${maps}`, at(object, '9')],
        [`POST ${maps}`, refused],
        [`PUT ${maps}/second`, at(second, '10')],
      ],
      memory,
    });
    const { applied } = await converse({
      operations: [{ operation: 'CreateOrUpdate', object: third }],
      script: [[`PUT ${maps}/third`, at(third, '11')]],
      memory,
    });

    expect(first.applied).toMatchObject([{ change: 'created' }, { change: 'updated' }]);
    expect(applied).toMatchObject([{ change: 'updated' }]);
  });

  it('updates what it created before, new as others of the kind may be', async () => {
    const memory = new PatchMemory();
    const creation = [
      [`PUT ${maps}/cm`, missing],
      [`POST ${maps}`, at(object, '9')],
    ] as const;
    await converse({ operations: [operation], script: creation, memory });

    const { applied } = await converse({
      operations: [operation],
      script: [[`PUT ${maps}/cm`, at(object, '10')]],
      memory,
    });

    expect(applied).toMatchObject([{ change: 'updated' }]);
  });

  it('updates a custom resource with the live version', async () => {
    const { applied, bodies } = await converse({
      operations: [{ operation: 'CreateOrUpdate', object: widget }],
      script: [
        [`GET ${widgets}/w`, at(widget, '4')],
        [`PUT ${widgets}/w`, at(widget, '5')],
      ],
    });

    expect(bodies[1]).toEqual(at(widget, '4'));
    expect(applied).toMatchObject([{ change: 'updated' }]);
  });

  it('says unchanged when the live version stays', async () => {
    const { applied } = await converse({
      operations: [{ operation: 'CreateOrUpdate', object: widget }],
      script: [
        [`GET ${widgets}/w`, at(widget, '4')],
        [`PUT ${widgets}/w`, at(widget, '4')],
      ],
    });

    expect(applied).toMatchObject([{ change: 'unchanged', resourceVersion: '4' }]);
  });

  it('says unchanged when the version is that of the run before', async () => {
    const memory = new PatchMemory();
    const script = [[`PUT ${maps}/cm`, at(object, '8')]] as const;
    await converse({ operations: [operation], script, memory });

    const { applied } = await converse({ operations: [operation], script, memory });

    expect(applied).toMatchObject([{ change: 'unchanged' }]);
  });

  it('learns which kinds need the live version, and keeps it in mind', async () => {
    const memory = new PatchMemory();
    const required = refusal(422, 'Invalid', 'metadata.resourceVersion: must be specified for an update');
    const put = [`PUT ${maps}/cm`, at(object, '5')] as const;
    const first = [[`PUT ${maps}/cm`, required], [`GET ${maps}/cm`, at(object, '4')], put] as const;
    await converse({ operations: [operation], script: first, memory });

    const { bodies } = await converse({ operations: [operation], script: [put], memory });

    expect(bodies).toMatchObject([{ metadata: { resourceVersion: '5' } }]);
  });

  it('takes one request for a custom resource that nobody changed since the last run', async () => {
    const memory = new PatchMemory();
    const put = [`PUT ${widgets}/w`, at(widget, '5')] as const;
    const operations = [{ operation: 'CreateOrUpdate', object: widget }];
    await converse({ operations, script: [[`GET ${widgets}/w`, at(widget, '4')], put], memory });

    const { applied, bodies } = await converse({ operations, script: [put], memory });

    expect(bodies).toEqual([at(widget, '5')]);
    expect(applied).toMatchObject([{ change: 'unchanged' }]);
  });

  it('reads a custom resource that somebody changed since the last run', async () => {
    const memory = new PatchMemory();
    const operations = [{ operation: 'CreateOrUpdate', object: widget }];
    const read = (version: string) => [`GET ${widgets}/w`, at(widget, version)] as const;
    await converse({ operations, script: [read('4'), [`PUT ${widgets}/w`, at(widget, '5')]], memory });

    const { applied } = await converse({
      operations,
      script: [[`PUT ${widgets}/w`, conflict], read('7'), [`PUT ${widgets}/w`, at(widget, '8')]],
      memory,
    });

    expect(applied).toMatchObject([{ change: 'updated', resourceVersion: '8' }]);
  });

  it('reads again when somebody else was faster', async () => {
    const { applied, bodies } = await converse({
      operations: [{ operation: 'CreateOrUpdate', object: widget }],
      script: [
        [`GET ${widgets}/w`, at(widget, '4')],
        [`PUT ${widgets}/w`, conflict],
        [`GET ${widgets}/w`, at(widget, '5')],
        [`PUT ${widgets}/w`, at(widget, '6')],
      ],
    });

    expect(bodies[3]).toEqual(at(widget, '5'));
    expect(applied).toMatchObject([{ change: 'updated', resourceVersion: '6' }]);
  });

  it('updates what somebody else created in between', async () => {
    const { applied } = await converse({
      operations: [operation],
      script: [
        [`PUT ${maps}/cm`, missing],
        [`POST ${maps}`, exists],
        [`PUT ${maps}/cm`, at(object, '8')],
      ],
    });

    expect(applied).toMatchObject([{ change: 'updated' }]);
  });

  it('creates with the right to create alone', async () => {
    const { applied } = await converse({
      operations: [operation],
      script: [
        [`PUT ${maps}/cm`, forbidden],
        [`POST ${maps}`, at(object, '9')],
      ],
    });

    expect(applied).toMatchObject([{ change: 'created' }]);
  });

  it('reports that it may not update what exists', async () => {
    const { message } = await converse({
      operations: [operation],
      script: [
        [`PUT ${maps}/cm`, forbidden],
        [`POST ${maps}`, exists],
      ],
    });

    expect(message).toContain('operation 1, CreateOrUpdate v1/ConfigMap/default/cm: may not update');
  });

  it('never creates for the sake of a subresource', async () => {
    const { message } = await converse({
      operations: [{ ...operation, subresource: 'status' }],
      script: [[`PUT ${maps}/cm/status`, missing]],
    });

    expect(message).toContain('CreateOrUpdate v1/ConfigMap/default/cm/status: "cm" not found');
  });
});

function at<T extends { readonly metadata: object }>(value: T, resourceVersion: string) {
  return { ...value, metadata: { ...value.metadata, resourceVersion } };
}
