import { expect, it } from 'vitest';
import { textTable } from '../../src/cli/text/text-table.ts';

it('a cell with 3 lines shows the first, and an empty one a dash', () => {
  expect(
    textTable(
      ['RUN', 'MESSAGE'],
      [
        ['a', 'it failed\r\nat x\nat y'],
        ['b', '\n'],
        ['', '\nlate \u001b'],
      ],
    ),
  ).toBe('RUN  MESSAGE\na    it failed\nb    -\n-    late \\u001b\n');
});
