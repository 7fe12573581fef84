const MASK = 'redacted';

/** Returns a URL for logs and errors, with its user name and password masked; also handles a text that is not a URL. */
export function urlText(url: URL | string): string {
  const parsed = typeof url === 'string' ? URL.parse(url) : url;
  if (parsed === null || parsed.host === '') return String(url).replace(/(^|\/\/)[^/?#\s]*@/g, `$1${MASK}@`);
  if (parsed.username === '' && parsed.password === '') return String(url);
  const shown = new URL(parsed);
  shown.username = MASK;
  shown.password = '';
  return shown.href;
}
