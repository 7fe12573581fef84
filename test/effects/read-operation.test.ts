import { describe, expect, it } from 'vitest';
import { FieldReader } from '../../src/effects/field-reader.ts';
import type { PatchOperation } from '../../src/effects/operation.ts';
import { OPERATIONS } from '../../src/effects/read-operation.ts';

const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'cm' } };
const pod = { kind: 'Pod', namespace: 'default', name: 'web' };
const podTarget = { target: { kind: 'Pod' }, namespace: 'default', name: 'web', ignoreHookError: false };

describe('an operation is understood', () => {
  it.each([
    {
      title: 'Create',
      input: { operation: 'Create', object: configMap },
      parsed: {
        operation: 'Create',
        object: configMap,
        target: { kind: 'ConfigMap', apiVersion: 'v1' },
        namespace: 'default',
        name: 'cm',
        ignoreHookError: false,
      },
    },
    {
      title: 'Create of an object without apiVersion',
      input: { operation: 'Create', object: { kind: 'Namespace', metadata: { name: 'n' } } },
      parsed: {
        operation: 'Create',
        object: { kind: 'Namespace', metadata: { name: 'n' } },
        target: { kind: 'Namespace' },
        name: 'n',
        ignoreHookError: false,
      },
    },
    {
      title: 'Create with a name the server makes',
      input: { operation: 'Create', object: { apiVersion: 'v1', kind: 'Namespace', metadata: { generateName: 'n-' } } },
      parsed: {
        operation: 'Create',
        object: { apiVersion: 'v1', kind: 'Namespace', metadata: { generateName: 'n-' } },
        target: { kind: 'Namespace', apiVersion: 'v1' },
        ignoreHookError: false,
      },
    },
    {
      title: 'Create of an object to a subresource of another',
      input: {
        operation: 'Create',
        ...pod,
        subresource: '/eviction',
        object: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'web', namespace: 'default' } },
      },
      parsed: {
        operation: 'Create',
        ...podTarget,
        subresource: 'eviction',
        object: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'web', namespace: 'default' } },
      },
    },
    {
      title: 'CreateIfNotExists, the namespace beside the object',
      input: {
        operation: 'CreateIfNotExists',
        namespace: 'default',
        object: { ...configMap, metadata: { name: 'cm' } },
      },
      parsed: {
        operation: 'CreateIfNotExists',
        object: { ...configMap, metadata: { name: 'cm' } },
        target: { kind: 'ConfigMap', apiVersion: 'v1' },
        namespace: 'default',
        name: 'cm',
        ignoreHookError: false,
      },
    },
    {
      title: 'CreateOrUpdate of an object as a string of JSON',
      input: { operation: 'CreateOrUpdate', object: JSON.stringify(configMap) },
      parsed: {
        operation: 'CreateOrUpdate',
        object: configMap,
        target: { kind: 'ConfigMap', apiVersion: 'v1' },
        namespace: 'default',
        name: 'cm',
        ignoreHookError: false,
      },
    },
    { title: 'Delete', input: { operation: 'Delete', ...pod }, parsed: { operation: 'Delete', ...podTarget } },
    {
      title: 'DeleteInBackground of a cluster-scoped object, empty fields being absent',
      input: {
        operation: 'DeleteInBackground',
        kind: 'ns',
        apiVersion: '',
        namespace: '',
        name: 'old',
        subresource: null,
      },
      parsed: { operation: 'DeleteInBackground', target: { kind: 'ns' }, name: 'old', ignoreHookError: false },
    },
    {
      title: 'DeleteNonCascading',
      input: { operation: 'DeleteNonCascading', apiVersion: 'v1', ...pod },
      parsed: { operation: 'DeleteNonCascading', ...podTarget, target: { apiVersion: 'v1', kind: 'Pod' } },
    },
    {
      title: 'MergePatch as a string of YAML',
      input: { operation: 'MergePatch', ...pod, ignoreMissingObject: true, mergePatch: 'spec:\n  replicas: 1\n' },
      parsed: {
        operation: 'MergePatch',
        ...podTarget,
        ignoreMissingObject: true,
        mergePatch: { spec: { replicas: 1 } },
      },
    },
    {
      title: 'JSONPatch whose first step removes',
      input: { operation: 'JSONPatch', ...pod, jsonPatch: [{ op: 'remove', path: '/metadata/labels/a' }] },
      parsed: {
        operation: 'JSONPatch',
        ...podTarget,
        ignoreMissingObject: false,
        jsonPatch: [{ op: 'remove', path: '/metadata/labels/a' }],
      },
    },
    {
      title: 'JSONPatch whose first step moves',
      input: { operation: 'JSONPatch', ...pod, jsonPatch: [{ op: 'move', from: '/data/a', path: '/data/b' }] },
      parsed: {
        operation: 'JSONPatch',
        ...podTarget,
        ignoreMissingObject: false,
        jsonPatch: [{ op: 'move', from: '/data/a', path: '/data/b' }],
      },
    },
    {
      title: 'JSONPatch as a string of JSON, with a null value',
      input: { operation: 'JSONPatch', ...pod, jsonPatch: '[{"op":"add","path":"/spec/x","value":null}]' },
      parsed: {
        operation: 'JSONPatch',
        ...podTarget,
        ignoreMissingObject: false,
        jsonPatch: [{ op: 'add', path: '/spec/x', value: null }],
      },
    },
    {
      title: 'JQPatch of a subresource',
      input: { operation: 'JQPatch', ...pod, jqFilter: '.status.phase = "x"', subresource: '/status' },
      parsed: {
        operation: 'JQPatch',
        ...podTarget,
        ignoreMissingObject: false,
        subresource: 'status',
        jqFilter: '.status.phase = "x"',
      },
    },
    {
      title: 'Apply with its defaults',
      input: { operation: 'Apply', object: configMap },
      parsed: {
        operation: 'Apply',
        object: configMap,
        target: { kind: 'ConfigMap', apiVersion: 'v1' },
        namespace: 'default',
        name: 'cm',
        ignoreHookError: false,
        fieldManager: 'hooklet',
        force: false,
      },
    },
    {
      title: 'Apply with its fields, keys in any case',
      input: { Operation: 'Apply', OBJECT: configMap, fieldmanager: 'me', Force: true },
      parsed: {
        operation: 'Apply',
        object: configMap,
        target: { kind: 'ConfigMap', apiVersion: 'v1' },
        namespace: 'default',
        name: 'cm',
        ignoreHookError: false,
        fieldManager: 'me',
        force: true,
      },
    },
  ])('$title', ({ input, parsed }) => {
    expect(read(input)).toEqual({ operation: parsed, problems: [] });
  });
});

describe('an operation is refused', () => {
  it.each([
    {
      title: 'Create without an object',
      input: { operation: 'Create' },
      problem: 'object: is missing, expected a whole',
    },
    {
      title: 'an object without kind',
      input: { operation: 'Create', object: { apiVersion: 'v1', metadata: { name: 'x' } } },
      problem: 'object.kind: is missing',
    },
    {
      title: 'an object without a name',
      input: { operation: 'CreateOrUpdate', object: { apiVersion: 'v1', kind: 'Pod' } },
      problem: 'object.metadata.name: is missing',
    },
    {
      title: 'Apply of an object whose name the server would make',
      input: { operation: 'Apply', object: { apiVersion: 'v1', kind: 'Pod', metadata: { generateName: 'x-' } } },
      problem: 'object.metadata.name: is missing',
    },
    {
      title: 'an object as a string that is no JSON or YAML',
      input: { operation: 'Create', object: '{"kind": "Pod"' },
      problem: 'object: line 1 of the string cannot be read as JSON',
    },
    {
      title: 'an object as a word',
      input: { operation: 'Create', object: 'Pod' },
      problem: 'object: received "Pod", expected a whole Kubernetes object',
    },
    {
      title: 'an empty JSON Patch',
      input: { operation: 'JSONPatch', ...pod, jsonPatch: [] },
      problem: 'jsonPatch: received an array of 0, expected an array of JSON Patch operations, not empty',
    },
    {
      title: 'a JSON Patch step that is no object',
      input: { operation: 'JSONPatch', ...pod, jsonPatch: ['add'] },
      problem: 'jsonPatch[0]: received "add", expected an object with op and path',
    },
    {
      title: 'an unknown op',
      input: { operation: 'JSONPatch', ...pod, jsonPatch: [{ op: 'set', path: '/a' }] },
      problem: 'jsonPatch[0].op: received "set", expected add, remove, replace, move, copy or test',
    },
    {
      title: 'a path without a slash',
      input: { operation: 'JSONPatch', ...pod, jsonPatch: [{ op: 'remove', path: 'a' }] },
      problem: 'jsonPatch[0].path: received "a", expected a JSON pointer',
    },
    {
      title: 'a later step without its value',
      input: {
        operation: 'JSONPatch',
        ...pod,
        jsonPatch: [
          { op: 'remove', path: '/a' },
          { op: 'add', path: '/a' },
        ],
      },
      problem: 'jsonPatch[1].value: is missing, expected a value for add',
    },
    {
      title: 'a move without from',
      input: { operation: 'JSONPatch', ...pod, jsonPatch: [{ op: 'move', path: '/a' }] },
      problem: 'jsonPatch[0].from: is missing',
    },
    { title: 'JQPatch without a filter', input: { operation: 'JQPatch', ...pod }, problem: 'jqFilter: is missing' },
    {
      title: 'a jq expression that does not compile',
      input: { operation: 'JQPatch', ...pod, jqFilter: 'bad' },
      problem: 'jqFilter: bad: function not defined',
    },
    {
      title: 'preconditions that say nothing',
      input: { operation: 'Delete', ...pod, preconditions: {} },
      problem: 'preconditions: received an object with 0 key(s), expected an object with uid, resourceVersion or both',
    },
    {
      title: 'an unknown precondition',
      input: { operation: 'Delete', ...pod, preconditions: { uuid: 'u1' } },
      problem: 'preconditions.uuid: is no precondition, expected an object with uid, resourceVersion or both',
    },
    {
      title: 'a resourceVersion as a number',
      input: { operation: 'Delete', ...pod, preconditions: { resourceVersion: 12 } },
      problem: 'preconditions.resourceVersion: received 12, expected a string that is not empty',
    },
    {
      title: 'force as a word',
      input: { operation: 'Apply', object: configMap, force: 'never' },
      problem: 'force: received "never"',
    },
  ])('$title', ({ input, problem }) => {
    expect(read(input).problems.join('\n')).toContain(problem);
  });
});

function read(input: object) {
  const reader = new FieldReader({ ...input });
  const [, shape] = Object.entries(OPERATIONS).find(([name]) => name === reader.text('operation')) ?? [];
  const checkJq = (expression: string) => (expression === 'bad' ? 'bad: function not defined' : undefined);
  const operation = shape?.read(reader, checkJq);
  return { operation, problems: reader.problems.map(({ field, message }) => `${field}: ${message}`) };
}

describe('a name that leads elsewhere is refused', () => {
  const names = ['.', '..', 'a/b', '../..', 'a%2Fb', '%2e%2e'];
  const patch = { mergePatch: { a: 1 } };
  const at = (change: object): object => ({ ...configMap, metadata: { ...configMap.metadata, ...change } });

  it.each<[string, PatchOperation['operation'], (name: string) => object]>([
    ['name', 'Delete', (name) => ({ ...pod, name })],
    ['namespace', 'Delete', (namespace) => ({ ...pod, namespace })],
    ['kind', 'DeleteInBackground', (kind) => ({ ...pod, kind })],
    ['subresource', 'MergePatch', (subresource) => ({ ...pod, ...patch, subresource })],
    ['name', 'JSONPatch', (name) => ({ ...pod, name, jsonPatch: [{ op: 'remove', path: '/a' }] })],
    ['name', 'JQPatch', (name) => ({ ...pod, name, jqFilter: '.' })],
    ['object.metadata.name', 'Create', (name) => ({ object: at({ name }) })],
    ['object.metadata.namespace', 'CreateOrUpdate', (namespace) => ({ object: at({ namespace }) })],
    ['object.kind', 'CreateIfNotExists', (kind) => ({ object: { ...configMap, kind } })],
    ['object.metadata.name', 'Apply', (name) => ({ object: at({ name }) })],
    ['name', 'Create', (name) => ({ object: configMap, subresource: 'eviction', name })],
  ])('as the %s of %s', (field, operation, inputOf) => {
    for (const name of names) {
      const reader = new FieldReader({ operation, ...inputOf(name) });
      OPERATIONS[operation].read(reader, () => undefined);

      expect(reader.problems.map((problem) => `${problem.field}: ${problem.message}`)).toContainEqual(
        expect.stringMatching(new RegExp(`^${field.replaceAll('.', String.raw`\.`)}: received ".*", which may not `)),
      );
    }
  });

  it.each(['../v1', 'apps/..', 'a/b/c', 'apps/v1%2F'])('as the apiVersion %s', (apiVersion) => {
    const reader = new FieldReader({ operation: 'Delete', ...pod, apiVersion });
    OPERATIONS.Delete.read(reader, () => undefined);

    expect(reader.problems).toMatchObject([{ field: 'apiVersion' }]);
  });

  it.each(['system:controller:a', 'a.b-c', '...'])('but %s is a name', (name) => {
    const reader = new FieldReader({ operation: 'Delete', ...pod, name });
    OPERATIONS.Delete.read(reader, () => undefined);

    expect(reader.problems).toEqual([]);
  });
});
