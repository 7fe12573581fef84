import { ResourceExpiredError } from '../../errors.ts';
import { nextTurn } from '../../lib/turn.ts';
import { malformed, type KubeObject } from '../object.ts';
import { readItem, scanList, type ItemType, type ObjectList } from './object-list.ts';
import type { SliceInterest } from './slice-interest.ts';

/** The frames of a list in pages: its start, again whenever it begins anew, its objects, and its end. */
export type PagedFrame =
  | { readonly type: 'ListStart' }
  | { readonly type: 'Listed'; readonly object: KubeObject }
  | { readonly type: 'ListDone'; readonly resourceVersion: string };

/** The parameters of a request; those that are empty are left out. */
export type Query = Readonly<Record<string, string>>;

/** How a list gets its pages, and what it keeps of them. */
export interface Pages {
  readonly kind: ItemType;
  readonly interest: SliceInterest;
  /** What the server must echo on every page; undefined where no slice was asked for. */
  readonly shardSelector: string | undefined;
  page(query: Query, signal: AbortSignal): Promise<Uint8Array>;
  /** The server sent what is not of the interest, or did not echo `shardSelector`. */
  undivided(): void;
}

const PAGE_SIZE = 500;
/** Items that are parsed and filtered before the event loop gets a turn: a few milliseconds. */
const ITEMS_PER_TURN = 100;
/** To drop an item unparsed takes less than this part of the time to parse and filter one. */
const DROPS_PER_ITEM = 10;

/** Lists in pages of 500, in a version not older than `resourceVersion`; when that is empty, in the newest version. */
export async function* pagedList(
  pages: Pages,
  resourceVersion: string,
  signal: AbortSignal,
): AsyncGenerator<PagedFrame, void, void> {
  const resourceVersionMatch = resourceVersion === '' ? '' : 'NotOlderThan';
  let query: Query = { limit: String(PAGE_SIZE), resourceVersion, resourceVersionMatch };
  yield { type: 'ListStart' };
  for (;;) {
    try {
      const page = yield* listPage(pages, query, signal);
      if (page.continueToken === '') {
        yield { type: 'ListDone', resourceVersion: page.resourceVersion };
        return;
      }
      query = { limit: String(PAGE_SIZE), continue: page.continueToken };
    } catch (error) {
      // The version of the pages so far has expired. List again in one page, which cannot expire halfway.
      if (!(error instanceof ResourceExpiredError) || query['continue'] === undefined) throw error;
      query = {};
      yield { type: 'ListStart' };
    }
  }
}

async function* listPage(
  pages: Pages,
  query: Query,
  signal: AbortSignal,
): AsyncGenerator<PagedFrame, ObjectList, void> {
  const { interest } = pages;
  const json = await pages.page(query, signal);
  const page = scanList(json);
  if (pages.shardSelector !== undefined && page.shardSelector !== pages.shardSelector) {
    pages.undivided();
    throw malformed('a list that is not of the slice that was asked for');
  }
  let work = 0;
  for (const range of page.items) {
    const isForeign = interest.isForeign(json, range.start);
    work += isForeign ? 1 : DROPS_PER_ITEM;
    if (work >= ITEMS_PER_TURN * DROPS_PER_ITEM) {
      work = 0;
      await nextTurn();
    }
    const object = isForeign ? undefined : readItem(json, range, pages.kind);
    if (object !== undefined && interest.wants(object)) yield { type: 'Listed', object };
    else pages.undivided();
  }
  return page;
}
