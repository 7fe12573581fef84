import { describe, expect, it } from 'vitest';
import { HookOutputError } from '../../src/errors.ts';
import { operationsDespiteFailure } from '../../src/effects/operation.ts';
import { parseOperations } from '../../src/effects/parse-operations.ts';

const pod = { kind: 'Pod', namespace: 'default', name: 'web' };

describe('what is understood', () => {
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
      '{"operation":"Delete","namespace":[]}',
      '',
      '{"operation":"MergePatch","kind":"Pod","name":"x","mergePatch":{},"ignoreMissingObject":"true"}',
      '[]',
    ].join('\n');

    expect(problemsOf(text)).toEqual([
      'KUBERNETES_PATCH_PATH has 7 problem(s), nothing of this run is applied:',
      '  document 1, line 1: operation: received "Delet", expected one of Create, CreateIfNotExists, CreateOrUpdate, Delete, DeleteInBackground, DeleteNonCascading, MergePatch, JSONPatch, JQPatch, Apply',
      '  document 2, line 2: kind: is missing, expected the kind of the object, such as "ConfigMap"',
      '  document 2, line 2: name: is missing, expected the name of the object',
      '  document 2, line 2: namespace: received an array of 0, expected a string',
      '  document 3, line 4: ignoreMissingObject: received "true", expected true or false',
      '  document 3, line 4: mergePatch: received an object with 0 key(s), expected an object with at least one key, or its JSON or YAML',
      '  document 4, line 5: received an array of 0, expected an object with a patch operation',
    ]);
  });

  it.each([
    { title: 'no operation', operation: undefined, problem: 'operation: is missing, expected one of Create,' },
    { title: 'an operation in other letters', operation: 'jqpatch', problem: 'received "jqpatch", expected "JQPatch"' },
    { title: 'what every object has', operation: 'toString', problem: 'received "toString", expected one of Create,' },
  ])('$title', ({ operation, problem }) => {
    expect(problemsOf(JSON.stringify({ operation })).join('\n')).toContain(problem);
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
      'document 1, line 1: mergePatch has no effect in Delete and is ignored',
      'document 1, line 1: propagation has no effect in Delete and is ignored',
    ]);
  });
});

describe('ignoreHookError', () => {
  const event = { apiVersion: 'v1', kind: 'Event', metadata: { name: 'e', namespace: 'default' } };

  it.each([
    ['a patch of a status', { operation: 'MergePatch', ...pod, mergePatch: { status: {} }, subresource: '/status' }],
    ['a patch', { operation: 'MergePatch', ...pod, mergePatch: { metadata: {} } }],
    ['a new object', { operation: 'Create', object: event }],
    ['an applied object', { operation: 'Apply', object: event }],
  ])('selects %s for runs that failed', (_, patch) => {
    const text = [patch, { ...patch, ignoreHookError: true }].map((value) => JSON.stringify(value)).join('');

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

it('a name that leads elsewhere is told with document, line, field and value, all at once', () => {
  const text =
    'operation: Delete\nkind: Pod\nnamespace: a/b\nname: ".."\n---\noperation: Delete\nkind: Pod\nname: x%2F\n';

  expect(problemsOf(text).slice(1)).toEqual([
    '  document 1, line 1: name: received "..", which may not be ".."',
    '  document 1, line 1: namespace: received "a/b", which may not contain "/"',
    '  document 2, line 6: name: received "x%2F", which may not contain "%"',
  ]);
});
