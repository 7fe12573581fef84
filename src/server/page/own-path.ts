import { viewAt } from './views.ts';

/** The path of a view with its query; `/` for anything else, such as the URL of another site. */
export function ownPath(given: string): string {
  const url = localUrl(given);
  return url !== undefined && viewAt(url.pathname) !== undefined ? `${url.pathname}${url.search}` : '/';
}

/** The URL of a path; undefined where it leads to another site, or is none. */
export function localUrl(given: string): URL | undefined {
  const base = 'http://page';
  if (!given.startsWith('/') || !URL.canParse(given, base)) return undefined;
  const url = new URL(given, base);
  return url.origin === base ? url : undefined;
}
