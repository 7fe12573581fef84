import { describe, expect, it } from 'vitest';
import { updateText } from '../../src/scenario/story/update-text.ts';

const TEXT = `# the first
name: a # stays
---
steps:
  - expect: {runs: 1, log: [a]} # one
  - expect:
      runs:
        - hook: a.sh # old
          exit: 0
      # the writes
      writes: 2
      objects:
        - {kind: Secret, data: {"a.b": old, c: |
            text
            }}
`;

const FLOW = `steps:\n  - expect: {objects: [{data: {"a.b": old, c: 1}}]} # kept\n`;

describe('an update', () => {
  it('replaces values where they stand, and keeps comments and form of all else', () => {
    const { text, made } = updateText(FLOW, [
      { document: 0, path: ['steps', 0, 'expect', 'objects', 0, 'data', 'a.b'], value: 'a: {b}' },
      { document: 0, path: ['steps', 0, 'expect', 'objects', 0, 'data', 'c'], value: null },
    ]);

    expect(made).toHaveLength(2);
    expect(text).toBe(`steps:\n  - expect: {objects: [{data: {"a.b": "a: {b}", c: null}}]} # kept\n`);
  });

  it('replaces a whole list that has another length, in the document that is meant', () => {
    const source = TEXT.slice(0, TEXT.indexOf('      objects:'));
    const { text } = updateText(source, [
      { document: 1, path: ['steps', 1, 'expect', 'writes'], value: 3 },
      { document: 1, path: ['steps', 1, 'expect', 'runs'], value: [{ hook: 'a.sh', exit: 0 }, { hook: 'true' }] },
      { document: 1, path: ['steps', 0, 'expect', 'runs'], value: 0 },
    ]);

    expect(text).toBe(`# the first
name: a # stays
---
steps:
  - expect: {runs: 0, log: [a]} # one
  - expect:
      runs: [{hook: a.sh, exit: 0}, {hook: "true"}]
      # the writes
      writes: 3
`);
  });

  it('makes no change that has no place in the text, and none that would break it', () => {
    const away = { document: 0, path: ['steps', 3], value: 1 };
    const alias = 'a: &x {runs: 1}\nsteps: [*x]\n';

    expect(updateText(FLOW, [away])).toEqual({ text: FLOW, made: [] });
    expect(updateText(FLOW, [{ ...away, document: 7 }])).toEqual({ text: FLOW, made: [] });
    expect(updateText(alias, [{ document: 0, path: ['steps', 0, 'runs'], value: 2 }])).toEqual({
      text: alias,
      made: [],
    });
  });
});
