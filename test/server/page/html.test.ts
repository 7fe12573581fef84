import { describe, expect, it } from 'vitest';
import { longText, markup, pathTo, type HtmlValue } from '../../../src/server/page/html.ts';
import { fingerprint } from '../../../src/server/page/views/fingerprint.ts';

describe('the templates of the page', () => {
  it.each([
    ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
    [`" onload='x' &amp;`, '&quot; onload=&#39;x&#39; &amp;amp;'],
    ['a\u202Eb\u0000c\u001b[31m', String.raw`a\u202eb\u0000c\u001b[31m`],
    ['\ud800', String.raw`\ud800`],
  ])('escape %j', (text, escaped) => {
    expect(markup`<p title="${text}">${text}</p>`.text).toBe(`<p title="${escaped}">${escaped}</p>`);
  });

  it('take lists, numbers and templates, and leave out what is undefined or false', () => {
    const parts: readonly HtmlValue[] = [markup`<i>a</i>`, '<', 1, undefined, false, ['b', markup`<b>c</b>`]];

    expect(markup`${parts}`.text).toBe('<i>a</i>&lt;1b<b>c</b>');
  });

  it('cut a text at 600 characters, and another where the caller says', () => {
    expect(markup`${'x'.repeat(100_000)}`.text).toBe(`${'x'.repeat(600)}…`);
    expect(longText('<'.repeat(5), 3).text).toBe('&lt;&lt;&lt;…');
  });

  it('escape the parameters of a path', () => {
    expect(pathTo('/run', { id: 'a&b="c"', hook: undefined, object: '', limit: 5 })).toBe(
      '/run?id=a%26b%3D%22c%22&limit=5',
    );
  });
});

describe('the fingerprint of a message', () => {
  it.each([
    ['cannot reach "db-1" after 3 tries', 'cannot reach "db-27" after 12 tries'],
    ['run 5cd4a8dc-d330-4b78-8b9c-8bf2ef06cda2 failed', 'run 9b314578-9c13-4cb1-b18c-b4e9e946d74c failed'],
    ['at 12:54:35  exit', 'at 01:02:03 exit'],
  ])('is the same for %j and %j', (a, b) => {
    expect(fingerprint(a)).toBe(fingerprint(b));
  });

  it('differs where the words do', () => {
    expect(fingerprint('cannot reach the database')).not.toBe(fingerprint('cannot read the database'));
  });
});
