import type { Settings } from './settings.ts';

/** The URL at which a member serves `/metrics` and `/debug/vars`; not every client URL does. */
export function httpUrl({ httpPort }: Settings, endpoint: string, path: string): URL {
  const url = new URL(path, endpoint);
  url.port = String(httpPort);
  return url;
}
