import type { HttpServer } from '../../server/http-server.ts';
import type { PageSettings, ServePageOptions, ServePageParts } from './serve-page.ts';

export type { PageSettings, ServePageParts as OpenPageParts } from './serve-page.ts';

/** As `ServePageOptions`; without `page` there is none, and nothing of it is loaded. */
export interface OpenPageOptions extends Omit<ServePageOptions, 'page'> {
  readonly page?: PageSettings | undefined;
}

/** Opens the server of the page; undefined where there is none. */
export async function openPage(
  { page, ...options }: OpenPageOptions,
  parts: ServePageParts,
  ends: AsyncDisposableStack,
): Promise<Pick<HttpServer, 'run'> | undefined> {
  if (page === undefined) return undefined;
  const { servePage } = await import('./serve-page.ts');
  return servePage({ ...options, page }, parts, ends);
}
