import type { Settings } from './settings.ts';

/** Where a member serves its metrics and variables over HTTP; not every client URL does. */
export function httpUrl({ httpPort }: Settings, endpoint: string, path: string): URL {
  const url = new URL(path, endpoint);
  url.port = String(httpPort);
  return url;
}
