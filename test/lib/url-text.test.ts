import { expect, it } from 'vitest';
import { urlText } from '../../src/lib/url-text.ts';

it.each([
  ['https://admin:s3cret@example.com:6443/path?a=b', 'https://redacted@example.com:6443/path?a=b'],
  ['http://s3cret@proxy', 'http://redacted@proxy/'],
  ['http://:s3cret@proxy', 'http://redacted@proxy/'],
  ['socks5://user:s3cret@proxy:1080', 'socks5://redacted@proxy:1080'],
  ['https://example.com', 'https://example.com'],
  ['user:s3cret@proxy:80', 'redacted@proxy:80'],
  ['https://user:s3cret@exa mple', 'https://redacted@exa mple'],
  ['https://user:s3@cret@exa mple', 'https://redacted@exa mple'],
  ['not a url', 'not a url'],
])('%s is shown as %s', (url, shown) => {
  expect(urlText(url)).toBe(shown);
});

it('the URL itself keeps its password', () => {
  const url = new URL('https://admin:s3cret@example.com');

  expect(urlText(url)).not.toContain('s3cret');
  expect(url.password).toBe('s3cret');
});
