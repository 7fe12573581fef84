import { describe, expect, it } from 'vitest';
import { readConfigDocument } from '../../src/hook/config-document.ts';

describe('readConfigDocument', () => {
  it.each<[string, string, unknown]>([
    ['YAML', 'a: 1\nb: [x]\n', { a: 1, b: ['x'] }],
    ['JSON', '{"a": 1, "b": ["x"]}', { a: 1, b: ['x'] }],
    ['a document after a marker and comments', '# hello\n---\na: 1\n', { a: 1 }],
    ['an empty second document', 'a: 1\n---\n# nothing\n', { a: 1 }],
    [
      'the words for booleans of YAML 1.1',
      'a: [yes, No, on, OFF, true, "yes"]',
      { a: [true, false, true, false, true, 'yes'] },
    ],
    ['anchors and merge keys', 'x: &x {a: 1}\nz: {<<: *x, b: 2}', { x: { a: 1 }, z: { a: 1, b: 2 } }],
    ['a byte order mark and Windows line ends', '\uFEFFa: 1\r\nb: 2\r\n', { a: 1, b: 2 }],
    ['dates as text', 'a: 2026-01-01', { a: '2026-01-01' }],
  ])('reads %s', (_law, text, value) => {
    expect(readConfigDocument(text)).toEqual({ type: 'value', value });
  });

  it.each([
    '{"a":1} and text',
    '{"a":1}\nfoo: [',
    '{"a":1}{"b":2}',
    '{"a":1}\n---\nb: 2\n',
    'a: 1\n---\nb: 2\n',
    'a: 1\n---\nb: [\n',
    'a: 1\n...\ntext\n',
  ])('ignores what follows the config, and says so: %j', (text) => {
    expect(readConfigDocument(text)).toEqual({
      type: 'value',
      value: { a: 1 },
      warnings: ['text after the config is ignored'],
    });
  });

  it('finds the end of a config with brackets in its strings', () => {
    const config = { a: 'a } in "quotes" \\', b: { c: '{' } };

    expect(readConfigDocument(`${JSON.stringify(config)} text`)).toMatchObject({ value: config });
  });

  it.each([
    ['nothing', '', 'got nothing on stdout'],
    ['only comments', '# nothing here\n', 'got nothing on stdout'],
    ['broken YAML', 'a: b: c', 'not YAML or JSON: Nested mappings'],
    ['broken JSON', '{"a": [1, }', 'not YAML or JSON: '],
    ['a key twice', 'a: 1\na: 2\n', 'Map keys must be unique'],
    ['an alias without anchor', 'a: *x', 'Unresolved alias'],
    ['UTF-16', 'a\x00:\x00 \x001\x00', 'got bytes of value 0, expected text in UTF-8; is it written in UTF-16?'],
  ])('refuses %s', (_law, text, message) => {
    const document = readConfigDocument(text);

    if (document.type === 'value') throw new Error('was read');
    expect(document.issues[0]).toMatchObject({ path: '', message: expect.stringContaining(message) });
  });

  it('stops an alias that unfolds to something huge', () => {
    const levels = Array.from(
      { length: 12 },
      (_, level) => `l${level + 1}: &l${level + 1} [${`*l${level},`.repeat(9)}]`,
    );

    expect(readConfigDocument(['l0: &l0 [x]', ...levels].join('\n')).type).toBe('unreadable');
  });

  it('reports the first few of many errors', () => {
    const document = readConfigDocument('a: b: c: d\n? : : x\n"'.repeat(20));

    expect(document.type === 'unreadable' && document.issues.length).toBeLessThanOrEqual(3);
  });
});
