import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { notJson, readJsonDocument } from '../../src/lib/json-document.ts';
import { readYaml } from '../../src/lib/yaml.ts';

const DEPTH = 200;

describe('readJsonDocument', () => {
  it('reads each JSON object as the reader of YAML does, or leaves it to that', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(4), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const read = readJsonDocument(text, DEPTH);
        const [yaml] = readYaml(text);

        if (read !== notJson) expect({ type: 'value', line: 1, value: read }).toEqual(yaml);
      }),
    );
  });

  it.each([
    ['an ordinary config', '{"configVersion":"v1","onStartup":1}', { configVersion: 'v1', onStartup: 1 }],
    ['quotes, colons and brackets in strings', ' {"a:{[": "\\":\\\\", "b": [{}]}\n', { 'a:{[': '":\\', b: [{}] }],
  ])('reads %s', (_what, text, value) => {
    expect(readJsonDocument(text, DEPTH)).toEqual(value);
  });

  it.each([
    ['a key that comes twice', '{"a": 1, "a": 2}'],
    ['a key that comes twice deep inside', '{"a": [{"b": {"c": 1, "c": 1}}]}'],
    ['one that comes twice in two spellings', '{"a": 1, "\\u0061": 2}'],
    ['a merge key', '{"<<": {"a": 1}}'],
    ['a key that is no property', '{"__proto__": {"a": 1}}'],
    ['YAML', 'a: 1'],
    ['YAML in braces', '{a: 1}'],
    ['a list', '[1]'],
    ['two texts', '{"a": 1}\n{"b": 2}'],
    ['half a text', '{"a": "'],
    ['more levels than permitted', `{"a": ${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}}`],
    ['levels without end', `{"a": ${'['.repeat(1_000_000)}`],
  ])('leaves %s to the reader of YAML', (_what, text) => {
    expect(readJsonDocument(text, DEPTH)).toBe(notJson);
  });
});
