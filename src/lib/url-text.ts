const MASK = 'redacted';

/** A URL without the user name and password that may be in it, for logs and errors; also of what is no URL. */
export function urlText(url: URL | string): string {
  const parsed = typeof url === 'string' ? URL.parse(url) : url;
  if (parsed === null || parsed.host === '') return String(url).replace(/(^|\/\/)[^/?#\s]*@/g, `$1${MASK}@`);
  if (parsed.username === '' && parsed.password === '') return String(url);
  const shown = new URL(parsed);
  shown.username = MASK;
  shown.password = '';
  return shown.href;
}
