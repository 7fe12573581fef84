import { describe, expect, it } from 'vitest';
import { JsonChunks } from '../../src/hook/json-chunks.ts';

describe('JsonChunks', () => {
  it('passes bytes on as they came', () => {
    const object = Buffer.from('{ "a" :1}');

    const chunks = new JsonChunks().text('[').bytes(object).text(']').finish();

    expect(chunks[1]).toBe(object);
    expect(Buffer.concat(chunks).toString()).toBe('[{ "a" :1}]');
  });

  it('escapes what Go escapes in strings', () => {
    const [chunk] = new JsonChunks().value('<a&b>\u2028\u2029"\\\n').finish();

    expect(Buffer.from(chunk ?? []).toString()).toBe('"\\u003ca\\u0026b\\u003e\\u2028\\u2029\\"\\\\\\n"');
  });

  it('separates elements', () => {
    const chunks = new JsonChunks();

    chunks.list('[', [], () => {});
    chunks.list('{', ['a', 'b'], (name) => chunks.value(name).text(':1'));

    expect(Buffer.concat(chunks.finish()).toString()).toBe('[]{"a":1,"b":1}');
  });
});
