import { describe, expect, it } from 'vitest';
import { yamlLines } from '../../src/lib/yaml-lines.ts';

const TEXT = `# a comment
configVersion: v1
kubernetes:
  - name: pods
    kind: Pod
  -
    kind: *kind
shared: &shared
  a:
    b: 1
other: *shared
"odd key": {x: 1,
  y: 2}
`;

describe('yamlLines', () => {
  it.each<[string, readonly (string | number)[], number]>([
    ['the document', [], 2],
    ['a field', ['configVersion'], 2],
    ['an entry of a list', ['kubernetes', 0], 4],
    ['a field of an entry', ['kubernetes', 0, 'kind'], 5],
    ['an entry that begins on the next line', ['kubernetes', 1], 7],
    ['a key in quotes, in braces', ['odd key', 'y'], 13],
    ['what an alias stands for, where it is written', ['other', 'a', 'b'], 10],
    ['the last part that is there, for one that is missing', ['kubernetes', 0, 'jqFilter', 'x'], 4],
    ['the list, for an entry that is missing', ['kubernetes', 9], 3],
    ['the document, for a field that is missing', ['settings'], 2],
  ])('gives the line of %s', (_what, path, line) => {
    expect(yamlLines(TEXT.replace('*kind', 'Node'))(path)).toBe(line);
  });

  it('reads JSON as well, and any text without throwing', () => {
    expect(yamlLines('{\n  "a": [\n    {"b": 1}\n  ]\n}')(['a', 0, 'b'])).toBe(3);
    for (const text of ['', '\0', '- [', 'a: *x', '{"a": 1', 'a: 1\na: 2\n---\nb: 1\n']) {
      expect(yamlLines(text)(['a', 0])).toBe(1);
    }
  });
});
