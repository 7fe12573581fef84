import { request } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '@hooklet/sandbox';
import { builtInKinds } from '@hooklet/sandbox/kinds';
import {
  apiVersionOf,
  inJson,
  objectAt,
  objectsAt,
  openApi2Document,
  printerOf,
  PROTOBUF,
  resourcePath,
  textAt,
  textsAt,
} from '@hooklet/sandbox/testing';
import { sharedControlPlane } from './shared-control-plane.ts';

const plane = sharedControlPlane();

async function get(path: string, accept: string): Promise<Buffer> {
  const headers = { authorization: `Bearer ${plane.tokenOf('admin')}`, accept };
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  request(plane.url + path, { ca: plane.ca, headers }, (response) => {
    buffer(response).then(resolve, reject);
  })
    .on('error', reject)
    .end();
  return promise;
}

async function getJson(path: string, accept = 'application/json'): Promise<JsonObject> {
  const value: unknown = JSON.parse(String(await get(path, accept)));
  return isJsonObject(value) ? value : {};
}

/** An object in protobuf and in JSON with the same resourceVersion, as its controller may write to it meanwhile. */
async function getBoth(path: string): Promise<{ readonly body: string; readonly there: JsonObject }> {
  for (let before = await getJson(path); ;) {
    const body = (await get(path, PROTOBUF)).toString('latin1');
    const there = await getJson(path);
    if (textAt(there, 'metadata', 'resourceVersion') === textAt(before, 'metadata', 'resourceVersion')) {
      return { body, there };
    }
    before = there;
  }
}

// Kinds for which the sandbox has only the columns name and age, and a real server has more.
const PLAIN = /^(?:componentstatuses|resource|flowschemas|prioritylevelconfigurations)|\.resource\.k8s\.io$/;

describe('a real server shows the same columns of', () => {
  const kinds = builtInKinds().filter(({ verbs, collection }) => verbs.includes('list') && !PLAIN.test(collection));

  it.each(kinds.map((kind) => [`${apiVersionOf(kind)} ${kind.plural}`, kind] as const))('%s', async (_, kind) => {
    const table = await getJson(resourcePath(kind, ''), 'application/json;as=Table;v=v1;g=meta.k8s.io');

    const shown = ({ name, type, format, priority }: JsonObject): JsonObject =>
      Object.fromEntries(
        Object.entries({ name, type, format, priority }).filter(([, value]) => value !== undefined),
      ) as JsonObject;
    expect(printerOf(kind).columns.map((column) => shown({ ...column }))).toEqual(
      objectsAt(table, 'columnDefinitions').map(shown),
    );
  });
});

describe('what a real server writes in protobuf is read as its JSON', () => {
  it.each([
    '/api/v1/namespaces',
    '/api/v1/namespaces/default/services',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
    '/apis/apiregistration.k8s.io/v1/apiservices',
    '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
  ])('%s', async (collection) => {
    const items = objectsAt(await getJson(collection), 'items').slice(0, 5);
    expect(items.length).toBeGreaterThan(0);

    for (const item of items) {
      const path = `${collection}/${encodeURIComponent(textAt(item, 'metadata', 'name'))}`;
      const { body, there } = await getBoth(path);
      const headers = { 'content-type': PROTOBUF };
      const read = inJson({ method: 'POST', path, query: new URLSearchParams(), headers, body });
      expect(JSON.parse(read.body)).toEqual({ ...there, metadata: expect.anything() });
    }
  });
});

describe('a real server knows the same fields of', async () => {
  const there = objectAt(await getJson('/openapi/v2'), 'definitions');
  const here = objectAt(openApi2Document(builtInKinds()), 'definitions');

  it.each(Object.keys(here))('%s', (name) => {
    const [ours, theirs] = [objectAt(here, name), objectAt(there, name)];

    expect(mergesOf(ours)).toEqual(mergesOf(theirs));
    expect(textsAt(ours, 'required').toSorted()).toEqual(textsAt(theirs, 'required').toSorted());
  });
});

/** The fields of a schema, and how each one is merged. */
function mergesOf(schema: JsonObject): { readonly [field: string]: readonly string[] } {
  const fields = Object.entries(objectAt(schema, 'properties')).map(([name, property]) => [
    name,
    [textAt(property, 'x-kubernetes-patch-merge-key'), textAt(property, 'x-kubernetes-patch-strategy')],
  ]);
  return Object.fromEntries(fields);
}
