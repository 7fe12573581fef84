import { describe, expect, it } from 'vitest';
import { LineReader } from '../../src/runner/line-reader.ts';

const LONG = JSON.stringify({ stack: 'x'.repeat(20_000), level: 'error', msg: 'no' });
const HUGE = JSON.stringify({ stack: 'x'.repeat(64 * 1024), level: 'error', msg: 'no' });

const rows: readonly [law: string, chunks: readonly (string | Buffer)[], lines: readonly string[]][] = [
  ['a chunk may hold several lines', ['a\nb\n'], ['a', 'b']],
  ['a line split over reads is one line', ['on', 'e\ntw', 'o\n'], ['one', 'two']],
  ['the last line needs no line break', ['half'], ['half']],
  ['empty lines say nothing', ['\n\na\n\n'], ['a']],
  ['a carriage return before the line break is not part of the line', ['a\r\n', '\r\n'], ['a']],
  ['invalid UTF-8 is replaced', [Buffer.from([0x61, 0xff, 0x0a])], ['a\uFFFD']],
  ['a character split over reads is whole', [Buffer.from([0xc3]), Buffer.from([0xa9, 0x0a])], ['é']],
  ['a line of 10,000 characters is whole', [`${'x'.repeat(10_000)}\n`], ['x'.repeat(10_000)]],
  ['a longer one is cut and says so', [`${'x'.repeat(10_001)}\nb\n`], [`${'x'.repeat(10_000)}:truncated`, 'b']],
  ['what is cut is counted in characters', ['é'.repeat(9_000), 'é'.repeat(9_000)], [`${'é'.repeat(10_000)}:truncated`]],
  ['a cut does not split a character', [`${'x'.repeat(9_999)}😀y\n`], [`${'x'.repeat(9_999)}:truncated`]],
  [
    'a longer one that is a JSON object keeps its level and msg',
    [`${LONG}\nb\n`],
    [JSON.stringify({ level: 'error', msg: 'no', truncated: `${LONG.slice(0, 5000)}:truncated` }), 'b'],
  ],
  ['one that is broken is cut', [`{${'x'.repeat(10_000)}\n`], [`{${'x'.repeat(9_999)}:truncated`]],
  ['one above 64 KiB is cut', [HUGE], [`${HUGE.slice(0, 10_000)}:truncated`]],
];

describe('LineReader', () => {
  it.each(rows)('%s', (_law, chunks, expected) => {
    const lines: string[] = [];
    const reader = new LineReader((line) => lines.push(line));

    for (const chunk of chunks) reader.push(Buffer.from(chunk));
    reader.end();

    expect(lines).toEqual(expected);
  });
});
