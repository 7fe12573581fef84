import type { Page } from './routes.ts';

export interface SharedPageOptions {
  /** For so long at the least a page serves those who ask. */
  readonly keepMs: number;
  /** Milliseconds that only grow; default those of the process. */
  readonly now?: () => number;
}

// So that building pages takes a tenth of the time at most, however many ask.
const KEEP_FACTOR = 10;
const MAX_KEEP_MS = 5000;
/** What was not built within this time is begun again for the next one who asks. */
const BUILD_LIMIT_MS = 10_000;

interface Kept {
  readonly page: Promise<Page>;
  untilMs: number;
}

/** One page for all who ask at the same time or shortly after: it is built once, and it is in memory once. */
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
