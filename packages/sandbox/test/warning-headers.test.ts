import { expect, it } from 'vitest';
import { warningHeaders } from '../src/warning-headers.ts';

it('a warning is quoted, with the bytes of UTF-8 as characters', () => {
  expect(warningHeaders(['a "b" \\', 'ü'])).toEqual([String.raw`299 - "a \"b\" \\"`, '299 - "Ã¼"']);
});

it('a warning with control characters, an empty one and a second one are left out', () => {
  expect(warningHeaders(['a', '', 'b\nc', 'd\u0000', 'a'])).toEqual(['299 - "a"']);
});

it('4096 characters are sent as they are, and of more each warning has 256', () => {
  const long = 'x'.repeat(4000);

  expect(warningHeaders([long, 'y'.repeat(96)])[0]).toBe(`299 - "${long}"`);
  expect(warningHeaders([long, 'y'.repeat(97)])[0]).toBe(`299 - "${long.slice(0, 256)}"`);
});
