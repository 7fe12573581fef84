import type { Page } from './routes.ts';

export interface SharedPageOptions {
  /** How long a page is reused at least. */
  readonly keepMs: number;
  /** Milliseconds on a monotonic clock; default `performance.now`. */
  readonly now?: () => number;
}

// Limits building pages to a tenth of the time, however many requests there are.
const KEEP_FACTOR = 10;
const MAX_KEEP_MS = 5000;
/** After this time a page that is still being built is built again for the next request. */
const BUILD_LIMIT_MS = 10_000;

interface Kept {
  readonly page: Promise<Page>;
  untilMs: number;
}

/**
 * Shares a page between requests at the same time or shortly after one another: it is built once and held in memory
 * once.
 */
export function sharedPage(build: () => Page | Promise<Page>, options: SharedPageOptions): () => Promise<Page> {
  const { keepMs, now = () => performance.now() } = options;
  let kept: Kept | undefined;
  const begin = (): Kept => {
    const startedAtMs = now();
    const made: Kept = { page: buildBytes(build), untilMs: startedAtMs + BUILD_LIMIT_MS };
    const settle = (forMs: number): void => {
      made.untilMs = now() + forMs;
    };
    made.page.then(
      () => settle(Math.min(MAX_KEEP_MS, Math.max(keepMs, KEEP_FACTOR * (now() - startedAtMs)))),
      () => settle(0),
    );
    return made;
  };
  return async () => {
    if (kept === undefined || now() >= kept.untilMs) kept = begin();
    return kept.page;
  };
}

async function buildBytes(build: () => Page | Promise<Page>): Promise<Page> {
  const page = await build();
  return { ...page, body: Buffer.from(page.body) };
}
