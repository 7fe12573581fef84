/*
 * The two requests of a reflector, list and watch, as streams of frames. A list is streamed if the server supports it
 * (a watch with `sendInitialEvents`), which then continues as the watch; else it is read in pages. A kind whose server
 * refuses streaming is remembered for all watches; after any other failure of a streamed list the next attempt uses
 * pages. `reflector.ts` decides when to list or watch again.
 */

import { ResourceExpiredError } from '../../errors.ts';
import type { KubeClient } from '../client.ts';
import { malformed } from '../object.ts';
import { confirmSlice } from './confirm-slice.ts';
import { createRequests, kindKey, type RequestOptions, type Requests, type WatchTarget } from './list-requests.ts';
import { pagedList, type PagedFrame } from './paged-list.ts';
import { isUnsupported } from './unsupported.ts';
import type { WatchFrame } from './watch-frame.ts';

export type { WatchTarget } from './list-requests.ts';

/** The frames of a list. A streamed list continues with the frames of its watch after `ListDone`. */
export type ListFrame = PagedFrame | WatchFrame;

/** The two requests a reflector makes. */
export interface ListWatch {
  /** Lists the collection in a version not older than `resourceVersion`; when that is empty, in the newest version. */
  list(resourceVersion: string, signal: AbortSignal): AsyncIterable<ListFrame>;
  /** Watches the changes after `resourceVersion`. */
  watch(resourceVersion: string, signal: AbortSignal): AsyncIterable<WatchFrame>;
}

export interface ListWatchOptions extends RequestOptions {
  /**
   * Kinds whose server refused a streamed list; shared by all watches of a cluster, so that each kind is tried once.
   */
  readonly withoutStreaming: Set<string>;
  /** Called when a streamed list has not ended after `LATE_LIST_MS`. */
  readonly onLateList: () => void;
}

const LATE_LIST_MS = 10_000;

/** Creates the list and the watch of `target`: a streamed list if the server supports it, else pages. */
export function createListWatch(client: KubeClient, target: WatchTarget, options: ListWatchOptions): ListWatch {
  const requests = createRequests(client, target, options);
  const { withoutStreaming } = options;
  const key = kindKey(target.kind);
  // Set when a streamed list failed: whatever the cause, the next attempt uses pages.
  let isPagedNext = false;

  return {
    watch: (resourceVersion, signal) => requests.watch({ resourceVersion }, signal),
    async *list(resourceVersion, signal) {
      await confirmSlice(requests, signal);
      if (!isPagedNext && !withoutStreaming.has(key)) {
        let isListed = false;
        try {
          for await (const frame of streamedList(requests, resourceVersion, { signal, ...options })) {
            isListed ||= frame.type === 'ListDone';
            yield frame;
          }
          return;
        } catch (error) {
          if (isListed || signal.aborted || error instanceof ResourceExpiredError) throw error;
          isPagedNext = true;
          if (!isUnsupported(error)) throw error;
          withoutStreaming.add(key);
        }
      }
      yield* pagedList(requests, resourceVersion, signal);
      isPagedNext = false;
    },
  };
}

interface StreamedListOptions {
  readonly signal: AbortSignal;
  readonly onLateList: () => void;
}

async function* streamedList(
  requests: Requests,
  resourceVersion: string,
  { signal, onLateList }: StreamedListOptions,
): AsyncGenerator<ListFrame, void, void> {
  const query = { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan', resourceVersion };
  const frames = requests.watch(query, signal);
  const late = setTimeout(onLateList, LATE_LIST_MS);
  let isListed = false;
  // A deletion during the list is delivered after its end: the list may have contained the object.
  const deleted: WatchFrame[] = [];
  try {
    yield { type: 'ListStart' };
    for await (const frame of frames) {
      if (isListed) yield frame;
      else if (frame.type === 'Apply') yield { type: 'Listed', object: frame.object };
      else if (frame.type === 'Delete') deleted.push(frame);
      else if (frame.isInitialEventsEnd) {
        clearTimeout(late);
        isListed = true;
        yield { type: 'ListDone', resourceVersion: frame.resourceVersion };
        yield* deleted.splice(0);
      }
    }
  } finally {
    clearTimeout(late);
  }
  if (!isListed) throw malformed('a streamed list without an end');
}
