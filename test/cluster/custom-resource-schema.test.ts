import { beforeAll, describe, expect, it } from 'vitest';
import { connect, eventually } from '@hooklet/sandbox/conformance';
import { ACCEPTED_SPECS, compileCustomResourceSchema, REFUSED_SPECS, WIDE_SPEC } from '@hooklet/sandbox/testing';
import { sharedControlPlane } from './shared-control-plane.ts';

const plane = sharedControlPlane();
const client = connect({ ...plane, token: plane.tokenOf('admin') });
const GROUP = 'schema.example.com';
const SCHEMA = { type: 'object', required: ['spec'], properties: { spec: WIDE_SPEC } };

beforeAll(async () => {
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: SCHEMA } };
  const names = { kind: 'Wide', plural: 'wides' };
  await client.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: `wides.${GROUP}` },
    spec: { group: GROUP, scope: 'Cluster', names, versions: [version] },
  });
  await eventually(
    () => client.get(`/apis/${GROUP}/v1/wides`),
    ({ status }) => status === 200,
  );
});

describe('the sandbox says of custom resources what the server says', () => {
  const schema = compileCustomResourceSchema(SCHEMA);
  const specs = [
    ...REFUSED_SPECS.map(([spec]) => spec),
    ...ACCEPTED_SPECS,
    { size: 'x', mode: 5, flag: 'yes', junk: 1 },
  ];

  it.each(specs)('%j', async (spec) => {
    const object = { apiVersion: `${GROUP}/v1`, kind: 'Wide', metadata: { name: 'a' }, spec };

    const { status, body } = await client.post(`/apis/${GROUP}/v1/wides?dryRun=All`, object);
    const filled = schema.fillDefaults(schema.prune(object));
    const problems = schema.validate(filled);

    expect(problems.length === 0 ? 201 : 422).toBe(status);
    if (status === 201) expect(filled['spec']).toEqual(body['spec']);
    else expect(new Set(problems)).toEqual(new Set([body['details']?.['causes']].flat()));
  });
});
