import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineDiff } from '../../src/cli/run/line-diff.ts';

/** The lines of one side that a diff with everything in its hunks shows. */
function side(diff: string, marks: string): readonly string[] {
  return diff
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('@@') && marks.includes(line.charAt(0)))
    .map((line) => line.slice(1));
}

const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 7 });

describe('lineDiff', () => {
  it('shows both texts where all lines are near a change', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const diff = lineDiff([...before, 'x', ''].join('\n'), [...after, 'y', ''].join('\n'));
        const [ahead, behind] = [
          [...before, 'x'],
          [...after, 'y'],
        ];
        expect(ahead.slice(ahead.length - side(diff, ' -').length)).toEqual(side(diff, ' -'));
        expect(behind.slice(behind.length - side(diff, ' +').length)).toEqual(side(diff, ' +'));
      }),
    );
  });

  it('has three lines of context, and a hunk for each place', () => {
    const lines = Array.from({ length: 20 }, (_, index) => String(index));
    const changed = lines.map((line) => (line === '4' || line === '15' ? `new ${line}` : line));

    expect(lineDiff(lines.join('\n'), changed.join('\n'))).toBe(
      [
        '@@ -2,7 +2,7 @@\n 1\n 2\n 3\n-4\n+new 4\n 5\n 6\n 7\n',
        '@@ -13,7 +13,7 @@\n 12\n 13\n 14\n-15\n+new 15\n 16\n 17\n 18\n',
      ].join(''),
    );
  });

  it('is empty for equal texts', () => {
    expect(lineDiff('a\nb\n', 'a\nb\n')).toBe('');
  });

  it('shows 20,000 lines that all differ as one change within 5 s', () => {
    const many = (mark: string): string => Array.from({ length: 20_000 }, (_, index) => `${mark}${index}\n`).join('');
    const startMs = Date.now();

    expect(lineDiff(many('a'), many('b')).startsWith('@@ -1,20000 +1,20000 @@\n-a0\n')).toBe(true);
    expect(Date.now() - startMs).toBeLessThan(5000);
  });
});
