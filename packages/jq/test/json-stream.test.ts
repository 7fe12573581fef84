import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonSplitter } from '../src/json-stream.ts';

function split(...pieces: readonly string[]): readonly string[] {
  const splitter = new JsonSplitter();
  return [...pieces.flatMap((piece) => [...splitter.push(piece)]), ...splitter.end()].map(({ text }) => text);
}

describe('a stream of documents', () => {
  it.each([
    ['{"a":1}{"b":2}', ['{"a":1}', '{"b":2}']],
    [' 1 2\n3', ['1', '2', '3']],
    ['"a""b"', ['"a"', '"b"']],
    ['"a\\"b" "\\\\" 1', ['"a\\"b"', '"\\\\"', '1']],
    ['[{"x":"]}"}]', ['[{"x":"]}"}]']],
    ['1[2]"3"{}', ['1', '[2]', '"3"', '{}']],
    ['true false null', ['true', 'false', 'null']],
    ['\ufeff{"a":1}', ['{"a":1}']],
    ['\u001e1\n\u001e2', ['1', '2']],
    ['  \n ', []],
    ['[1,', ['[1,']],
    ['"open', ['"open']],
  ])('%j', (text, expected) => {
    expect(split(text)).toEqual(expected);
  });

  it('is cut the same however the text is cut', () => {
    const document = fc.jsonValue().map((value) => JSON.stringify(value, undefined, 1));
    fc.assert(
      fc.property(fc.array(document), fc.array(fc.nat(200)), (documents, cuts) => {
        const text = documents.join('\n');
        const places = [0, ...cuts.toSorted((a, b) => a - b), text.length];
        const pieces = places.slice(1).map((end, index) => text.slice(places[index], end));
        expect(split(...pieces)).toEqual(documents);
      }),
    );
  });

  it('says on which lines a document is', () => {
    const splitter = new JsonSplitter();
    const documents = [...splitter.push('1\n{\n"a":2}\n\n[3]\n4'), ...splitter.end()];

    expect(documents.map(({ firstLine, lastLine }) => [firstLine, lastLine])).toEqual([
      [1, 1],
      [2, 3],
      [5, 5],
      [6, 5],
    ]);
  });
});
