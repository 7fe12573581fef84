/*
 * The requests of one list and watch to the API server, with the selectors of their target, and what is dropped of the
 * answers: objects that nobody wants. Where the server was asked for a slice there must be none of them, so they show
 * that it does not divide the kind. A watch must never be silent without notice: over HTTP/2 pings monitor its
 * connection; over HTTP/1.1 it is reopened after 31 s of silence at the latest; and any watch without data for 70 s
 * fails.
 */

import type { KubeClient, KubeRequest, StreamOptions } from '../client.ts';
import type { Carrier } from '../http/http.ts';
import { resourcePath, type ResourceKind } from '../kind.ts';
import type { Division, SlicePages } from './confirm-slice.ts';
import type { Query } from './paged-list.ts';
import { QuietEnd } from './quiet-end.ts';
import { shardSelectorText, type Slice } from './slice.ts';
import { SliceInterest } from './slice-interest.ts';
import { readFrame, type WatchFrame } from './watch-frame.ts';

/** What to list and watch: the objects of a kind, in one namespace or all, that match the selectors. */
export interface WatchTarget {
  readonly kind: ResourceKind;
  /** When absent, all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Only the objects of this slice. */
  readonly slice?: Slice;
}

/** What the requests of a list and a watch depend on, and who is told of their answers. */
export interface RequestOptions {
  /** Which objects are wanted; others are dropped, mostly before they are parsed. Default all of them. */
  readonly interest?: SliceInterest;
  /** Only for a target with a slice, and for all of those. */
  readonly division?: Division;
  /** Called whenever bytes arrive from the server. */
  readonly onContact: () => void;
  /** Called with the connection that carries the request. */
  readonly onCarried?: (carrier: Carrier) => void;
  /** Called when the server accepted a watch or answered a list. */
  readonly onOpen: () => void;
  readonly random: () => number;
  /** A watch fails after this long without data; default 70 s. Bookmarks arrive about once a minute. */
  readonly idleTimeoutMs?: number | undefined;
  /** After this long the server ends a watch whose connection is monitored; default 5 to 10 minutes. */
  readonly watchSeconds?: number | undefined;
}

const DEFAULT_IDLE_TIMEOUT_MS = 70_000;
/** The server ends a watch at its timeout; the end may arrive this much later. */
const END_GRACE_MS = 2000;
/**
 * Without pings, as over HTTP/1.1, a quiet watch and a dead one look the same. Such a watch gets this timeout, so that
 * it is reopened often, from the bookmark that the server sends 2 s before the end.
 */
const QUIET_SECONDS = 25;
const LIST_TIMEOUT_MS = 60_000;
/** Enough for a page of objects of the maximum size. */
const MAX_PAGE_BYTES = 1024 * 1024 * 1024;

/** The name of a kind among those whose server lacks a feature. */
export function kindKey({ group, plural }: ResourceKind): string {
  return `${group}/${plural}`;
}

/** The requests of one list and watch. */
export interface Requests extends SlicePages {
  watch(query: Query, signal: AbortSignal): AsyncIterable<WatchFrame>;
}

/** Creates the requests for `target`. */
export function createRequests(client: KubeClient, target: WatchTarget, options: RequestOptions): Requests {
  const { onContact, onCarried, onOpen, interest = new SliceInterest('mixed'), division } = options;
  const { kind, namespace, labelSelector, fieldSelector, slice } = target;
  const shardSelector = slice === undefined ? undefined : shardSelectorText(slice);
  const path = resourcePath(kind, namespace === undefined ? {} : { namespace });
  const selectors = present({ labelSelector, fieldSelector, shardSelector });
  let isPinged = true;
  const get = (query: Query): KubeRequest => ({
    method: 'GET',
    path,
    query: { ...selectors, ...present(query) },
    onCarried: (carrier) => {
      ({ isPinged } = carrier);
      onCarried?.(carrier);
    },
  });
  const undivided = (): void => {
    if (division === undefined) return;
    division.divisions.deny(division.key);
    division.onDenied();
  };
  const lines = (query: Query, stream: StreamOptions): AsyncIterable<Uint8Array> => client.lines(get(query), stream);
  const watch = { options, interest, undivided, isPinged: () => isPinged, lines };

  return {
    kind,
    interest,
    division,
    shardSelector,
    undivided,
    watch: (query, signal) => watchFrames(watch, query, signal),
    async page(query, signal) {
      const page = await client.bytes({ ...get(query), timeoutMs: LIST_TIMEOUT_MS, maxBytes: MAX_PAGE_BYTES }, signal);
      onContact();
      onOpen();
      return page;
    },
  };
}

interface Watch {
  readonly options: RequestOptions;
  readonly interest: SliceInterest;
  /** Whether pings monitor the connection. */
  readonly isPinged: () => boolean;
  readonly lines: (query: Query, stream: StreamOptions) => AsyncIterable<Uint8Array>;
  readonly undivided: () => void;
}

async function* watchFrames(
  { options, interest, isPinged, lines, undivided }: Watch,
  query: Query,
  signal: AbortSignal,
): AsyncGenerator<WatchFrame, void, void> {
  const { onContact, onOpen, random, idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS } = options;
  const isList = query['sendInitialEvents'] === 'true';
  const quietSeconds = QUIET_SECONDS + Math.floor(random() * 5);
  const longSeconds = longSecondsOf(options);
  const timeoutSeconds = isPinged() || isList ? longSeconds : quietSeconds;
  const search = { watch: 'true', allowWatchBookmarks: 'true', timeoutSeconds: String(timeoutSeconds), ...query };
  using quiet = new QuietEnd(quietSeconds * 1000 + END_GRACE_MS, signal);
  const opened = (): void => {
    onOpen();
    if (!isPinged() && !isList) quiet.start();
  };
  // Most lines of a watch that is divided here are foreign: they are dropped where they arrive, before they are copied.
  const isDropped = (line: Uint8Array): boolean => {
    if (!interest.isForeignLine(line)) return false;
    quiet.refresh();
    undivided();
    return true;
  };
  const stream = { signal: quiet.signal, idleTimeoutMs, onOpen: opened, onData: onContact, isDropped };
  try {
    for await (const line of lines(search, stream)) {
      const frame = readWanted(line, interest);
      if (isInitialEnd(frame) && !isPinged()) quiet.start();
      quiet.refresh();
      if (frame === undefined) undivided();
      else yield frame;
    }
  } catch (error) {
    if (!quiet.isOver) throw error;
  }
}

/** Between 5 and 10 minutes by default, so that many watches do not reconnect at the same time. */
function longSecondsOf({ random, watchSeconds }: RequestOptions): number {
  return watchSeconds ?? 300 + Math.floor(random() * 300);
}

/** Reads a line; undefined if it is about an object that nobody wants after all. */
function readWanted(line: Uint8Array, interest: SliceInterest): WatchFrame | undefined {
  const frame = readFrame(line);
  return frame.type === 'Bookmark' || interest.wants(frame.object) ? frame : undefined;
}

function isInitialEnd(frame: WatchFrame | undefined): boolean {
  return frame?.type === 'Bookmark' && frame.isInitialEventsEnd;
}

/** Drops the parameters that are undefined or empty. */
function present(query: Readonly<Record<string, string | undefined>>): Query {
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value]])),
  );
}
