import { describe, expect, it } from 'vitest';
import { parseOperations } from '../../src/effects/parse-operations.ts';
import { converse } from '../support/patch-rig.ts';

const HEAD = 'operation: MergePatch\nkind: ConfigMap\nname: x\n';

function operationOf(text: string) {
  return parseOperations(text, () => undefined).operations[0];
}

/** The JSON of a word that is written in the YAML of a file. */
function inFile(word: string): string {
  const operation = operationOf(`${HEAD}mergePatch:\n  a: ${word}\n`);
  return operation?.operation === 'MergePatch' ? JSON.stringify(operation.mergePatch['a']) : 'nothing';
}

/** The JSON of a word that is written in a string of YAML. */
function inString(word: string): string {
  const operation = operationOf(`${HEAD}mergePatch: |\n  a: ${word}\n`);
  return operation?.operation === 'MergePatch' ? JSON.stringify(operation.mergePatch['a']) : 'nothing';
}

describe('a word of YAML is what shell-operator stores', () => {
  it.each([
    ['0400', '256'],
    ['0644', '420'],
    ['+0400', '256'],
    ['-0400', '-256'],
    ['0o400', '256'],
    ['0O17', '15'],
    ['0x1F', '31'],
    ['-0x1f', '-31'],
    ['0b11', '3'],
    ['-0b11', '-3'],
    ['0b2', '"0b2"'],
    ['0o8', '"0o8"'],
    ['0x', '"0x"'],
    ['08', '8'],
    ['1_0', '10'],
    ['1_000_000', '1000000'],
    ['1_000.5', '1000.5'],
    ['._5', '"._5"'],
    ['_1', '"_1"'],
    ['+1', '1'],
    ['1.', '1'],
    ['.5', '0.5'],
    ['+.5', '0.5'],
    ['1e3', '1000'],
    ['1e400', '"1e400"'],
    ['1.2.3', '"1.2.3"'],
    ['1:30', '"1:30"'],
    ['true', 'true'],
    ['True', 'true'],
    ['FALSE', 'false'],
    ['tRue', '"tRue"'],
    ['~', 'null'],
    ['Null', 'null'],
    ['nUll', '"nUll"'],
    ["'0400'", '"0400"'],
    ['"yes"', '"yes"'],
    ['=', '"="'],
    ['!!int "5"', '5'],
    ['!!str 0400', '"0400"'],
    ['!!binary aGk=', '"hi"'],
    ['9007199254740993', '9007199254740993'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['18446744073709551615', '18446744073709551615'],
    ['0x7fffffffffffffff', '9223372036854775807'],
    ['18446744073709551616', '18446744073709552000'],
    ['0x10000000000000000', '"0x10000000000000000"'],
  ])('%s is %s, in a file and in a string', (word, json) => {
    expect([inFile(word), inString(word)]).toEqual([json, json]);
  });

  it.each([
    ['yes', '"yes"', 'true'],
    ['Yes', '"Yes"', 'true'],
    ['y', '"y"', 'true'],
    ['on', '"on"', 'true'],
    ['no', '"no"', 'false'],
    ['n', '"n"', 'false'],
    ['OFF', '"OFF"', 'false'],
    ['oFF', '"oFF"', '"oFF"'],
    ['2020-01-01', '"2020-01-01T00:00:00Z"', '"2020-01-01"'],
    ['2020-1-1', '"2020-01-01T00:00:00Z"', '"2020-1-1"'],
    ['2020-02-30', '"2020-02-30"', '"2020-02-30"'],
    ['2001-12-14t21:59:43.10-05:00', '"2001-12-14T21:59:43.1-05:00"', '"2001-12-14t21:59:43.10-05:00"'],
    ['2020-01-01 1:2:3', '"2020-01-01T01:02:03Z"', '"2020-01-01 1:2:3"'],
  ])('%s is %s in a file and %s in a string', (word, file, string) => {
    expect([inFile(word), inString(word)]).toEqual([file, string]);
  });

  it.each(['.inf', '-.Inf', '.nan'])('%s is refused: JSON has no such number', (word) => {
    expect(() => inFile(word)).toThrow(`${word} is no number of JSON`);
    expect(() => inString(word)).toThrow(`${word} is no number of JSON`);
  });

  it.each([
    ['0400: a', '{"256":"a"}'],
    ['yes: a', '{"true":"a"}'],
    ['8080: a', '{"8080":"a"}'],
  ])('a key is what it means in a string: %s', (text, json) => {
    const operation = operationOf(`${HEAD}mergePatch: |\n  ${text}\n`);

    expect(operation).toMatchObject({ mergePatch: JSON.parse(json) });
  });

  it('a key that is null is refused', () => {
    expect(() => operationOf(`${HEAD}mergePatch:\n  ~: a\n`)).toThrow('a key that is null');
  });
});

describe('a field of an operation that is text', () => {
  it.each(['123', 'true', 'yes', '0x1F', '1.0', '2020-01-01', '0400', '1e3'])('is as it is written: %s', (word) => {
    const operation = operationOf(`operation: Delete\nkind: Pod\nname: ${word}\nnamespace: ${word}\n`);

    expect(operation).toMatchObject({ name: word, namespace: word });
  });

  it('may be a number or a boolean in JSON', () => {
    expect(operationOf('{"operation":"Delete","kind":"Pod","name":123,"namespace":true}')).toMatchObject({
      name: '123',
      namespace: 'true',
    });
  });

  it.each(['a/b', '.', '..', 'http://a:80'])('may not lead to another path: %s', (word) => {
    expect(() => operationOf(`operation: Delete\nkind: Pod\nname: ${word}\n`)).toThrow(
      `name: received "${word}", which`,
    );
  });

  it('is missing where it is null', () => {
    expect(() => operationOf('operation: Delete\nkind: Pod\nname: ~\n')).toThrow('name: is missing');
  });
});

describe('ignoreMissingObject', () => {
  it.each([
    ['yes', true],
    ['on', true],
    ['y', true],
    ['"yes"', true],
    ['true', true],
    ['no', false],
    ['Off', false],
    ['~', false],
  ])('may be the word %s', (word, is) => {
    expect(operationOf(`${HEAD}mergePatch: {a: 1}\nignoreMissingObject: ${word}\n`)).toMatchObject({
      ignoreMissingObject: is,
    });
  });

  it.each(['"true"', '1', 'ja'])('may not be %s', (word) => {
    expect(() => operationOf(`${HEAD}mergePatch: {a: 1}\nignoreMissingObject: ${word}\n`)).toThrow(
      'ignoreMissingObject: received',
    );
  });
});

describe('a file mode and a large number', () => {
  const mode = 'spec:\n    volumes:\n    - {name: v, secret: {secretName: s, defaultMode: 0400}}\n';

  it('arrive at the API server as they are meant, and the version of the kind with them', async () => {
    const object = `kind: Widget\n  metadata: {namespace: default, name: w}\n  serial: 9007199254740993\n  ${mode}`;
    const { operations } = parseOperations(`operation: Create\nobject:\n  ${object}`, () => undefined);
    const [create] = operations;
    const { requests } = await converse({
      operations: `operation: Create\nobject:\n  ${object}`,
      script: [['POST /apis/example.com/v1/namespaces/default/widgets', { metadata: {} }]],
    });

    expect(create).toMatchObject({ target: { kind: 'Widget' } });
    expect(requests[0]?.body).toMatch(/^\{"apiVersion":"example.com\/v1","kind":"Widget",/);
    expect(requests[0]?.body).toContain('"serial":9007199254740993');
    expect(requests[0]?.body).toContain('"defaultMode":256');
  });

  it('are exact in JSON and in a string of JSON', () => {
    const object = '{"kind":"A","metadata":{"name":"x"},"a":9007199254740993,"b":[-9007199254740993],"c":1.5}';
    const direct = operationOf(`{"operation":"Create","object":${object}}`);
    const string = operationOf(JSON.stringify({ operation: 'Create', object }));

    expect(direct?.operation === 'Create' && JSON.stringify(direct.object)).toBe(object);
    expect(string?.operation === 'Create' && JSON.stringify(string.object)).toBe(object);
  });
});

it('commas between JSON documents are passed over', () => {
  const one = '{"operation":"Delete","kind":"Pod","name":"x"}';

  expect(parseOperations(`${one},${one},\n${one}`, () => undefined).operations).toHaveLength(3);
});
