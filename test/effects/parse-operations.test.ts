import { describe, expect, it } from 'vitest';
import { HookOutputError } from '../../src/errors.ts';
import { operationsDespiteFailure } from '../../src/effects/operation.ts';
import { parseOperations } from '../../src/effects/parse-operations.ts';

const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'cm' } };
const pod = { kind: 'Pod', namespace: 'default', name: 'web' };
const podTarget = { target: { kind: 'Pod' }, namespace: 'default', name: 'web', ignoreHookError: false };

describe('what is understood', () => {
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
    expect(parse(JSON.stringify(input))).toEqual({ operations: [parsed], warnings: [] });
  });

  it.each([
    { title: 'an empty file', text: ' \n' },
    { title: 'empty YAML documents', text: '---\n---\n# nothing\n' },
  ])('$title holds no operations', ({ text }) => {
    expect(parse(text).operations).toEqual([]);
  });

  it.each([
    {
      title: 'JSON one behind the other',
      text: '{"operation":"Delete","kind":"a","name":"x"}{"operation":"Delete","kind":"b","name":"y"}',
    },
    {
      title: 'JSON over several lines',
      text: '\n{"operation":"Delete",\n"kind":"a","name":"x"}\n\n{"operation":"Delete","kind":"b","name":"y"}\n',
    },
    {
      title: 'YAML documents',
      text: 'operation: Delete\nkind: a\nname: x\n---\noperation: Delete\nkind: b\nname: y\n',
    },
    {
      title: 'JSON as documents of YAML',
      text: '---\n{"operation":"Delete","kind":"a","name":"x"}\n---\n{"operation":"Delete","kind":"b","name":"y"}\n',
    },
  ])('$title', ({ text }) => {
    expect(parse(text).operations.map(({ target, name }) => `${target.kind}/${name}`)).toEqual(['a/x', 'b/y']);
  });

  it('takes strings with newlines in them, as the peer documents', () => {
    const text = `{
      "operation": "JSONPatch", "kind": "Deployment", "namespace": "default", "name": "nginx",
      "jsonPatch": "[
        {\\"op\\": \\"replace\\", \\"path\\":  \\"/spec/replicas\\", \\"value\\":  1}
      ]"
    }`;

    expect(parse(text).operations).toMatchObject([
      { jsonPatch: [{ op: 'replace', path: '/spec/replicas', value: 1 }] },
    ]);
  });
});

describe('what is refused', () => {
  it('names every problem of every document at once, with document, line, field, value and what was expected', () => {
    const text = [
      '{"operation":"Delet","kind":"Pod"}',
      '{"operation":"Delete","namespace":5}',
      '',
      '{"operation":"MergePatch","kind":"Pod","name":"x","mergePatch":{},"ignoreMissingObject":"yes"}',
      '[]',
    ].join('\n');

    expect(problemsOf(text)).toEqual([
      'KUBERNETES_PATCH_PATH has 7 problem(s), nothing of this run is applied:',
      '  document 1, line 1: operation: received "Delet", expected one of Create, CreateIfNotExists, CreateOrUpdate, Delete, DeleteInBackground, DeleteNonCascading, MergePatch, JSONPatch, JQPatch, Apply',
      '  document 2, line 2: kind: is missing, expected the kind of the object, such as "ConfigMap"',
      '  document 2, line 2: name: is missing, expected the name of the object',
      '  document 2, line 2: namespace: received 5, expected a string',
      '  document 3, line 4: ignoreMissingObject: received "yes", expected true or false',
      '  document 3, line 4: mergePatch: received an object with 0 key(s), expected an object with at least one key, or its JSON or YAML',
      '  document 4, line 5: received an array of 0, expected an object with a patch operation',
    ]);
  });

  it.each([
    { title: 'no operation', input: { kind: 'Pod' }, problem: 'operation: is missing, expected one of Create,' },
    {
      title: 'an operation in other letters',
      input: { operation: 'jqpatch' },
      problem: 'received "jqpatch", expected "JQPatch"',
    },
    {
      title: 'Create without an object',
      input: { operation: 'Create' },
      problem: 'object: is missing, expected a whole',
    },
    {
      title: 'an object without apiVersion',
      input: { operation: 'Create', object: { kind: 'Pod', metadata: { name: 'x' } } },
      problem: 'object.apiVersion: is missing, expected a version such as "v1"',
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
      title: 'an object as a string of two documents',
      input: { operation: 'Create', object: 'a: 1\n---\nb: 1\n' },
      problem: 'object: the string holds 2 documents, expected one',
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
      title: 'force as a word',
      input: { operation: 'Apply', object: configMap, force: 'no' },
      problem: 'force: received "no"',
    },
  ])('$title', ({ input, problem }) => {
    expect(problemsOf(JSON.stringify(input)).join('\n')).toContain(problem);
  });

  it('counts lines in YAML too', () => {
    expect(problemsOf('# first\noperation: Delete\nkind: a\nname: x\n---\noperation: Delete\nkind: b\n')[1]).toBe(
      '  document 2, line 6: name: is missing, expected the name of the object',
    );
  });

  it('speaks of JSON to those who wrote JSON, and names the broken document', () => {
    const [, problem] = problemsOf('{"operation":"Delete","kind":"a","name":"x"}\n{"operation":"Delete" "kind":"b"}\n');

    expect(problem).toMatch(/^ {2}document 2, line 2 cannot be read as JSON: /);
  });

  it('speaks of YAML to those who wrote YAML', () => {
    expect(problemsOf('operation: Delete\nkind: [a\n')[1]).toMatch(/^ {2}document 1, line \d cannot be read as YAML: /);
  });

  it('survives a bomb of aliases', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 10; level += 1) {
      const alias = `*a${level - 1}`;
      lines.push(`a${level}: &a${level} [${Array.from({ length: 9 }, () => alias).join(', ')}]`);
    }

    expect(problemsOf(lines.join('\n'))[1]).toContain('cannot be read as YAML');
  });
});

describe('what is pointed out', () => {
  it('fields without meaning, which are ignored', () => {
    const text = JSON.stringify({ operation: 'Delete', ...pod, mergePatch: {}, propagation: 'x' });

    expect(parse(text).warnings).toEqual([
      'document 1, line 1: mergePatch has no meaning for Delete and is ignored',
      'document 1, line 1: propagation has no meaning for Delete and is ignored',
    ]);
  });

  it('ignoreHookError where it has no effect', () => {
    const text = JSON.stringify({ operation: 'MergePatch', ...pod, mergePatch: { a: 1 }, ignoreHookError: true });

    const { operations, warnings } = parse(text);

    expect(operationsDespiteFailure(operations)).toEqual([]);
    expect(warnings).toEqual(['document 1, line 1: ignoreHookError has no effect without "subresource": "status"']);
  });
});

describe('ignoreHookError', () => {
  it.each(['status', '/status'])('selects patches of the subresource %s for runs that failed', (subresource) => {
    const patch = { operation: 'MergePatch', ...pod, mergePatch: { status: {} } };
    const text = [patch, { ...patch, subresource, ignoreHookError: true }]
      .map((value) => JSON.stringify(value))
      .join('');

    const { operations } = parse(text);

    expect(operations).toHaveLength(2);
    expect(operationsDespiteFailure(operations)).toEqual(operations.slice(1));
  });
});

function parse(text: string) {
  return parseOperations(text, (expression) => (expression === 'bad' ? 'bad: function not defined' : undefined));
}

function problemsOf(text: string): readonly string[] {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof HookOutputError) return error.message.split('\n');
    throw error;
  }
  return [];
}
