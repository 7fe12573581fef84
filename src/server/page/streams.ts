/*
 * What pages that are open are sent: the main part of a page whenever it has changed. A stream renders nothing unless
 * something has happened to a run, and then at most once a second; every 15 s it renders for what tells nobody that it
 * changed, such as the last contact of a watch. Nobody who looks, nothing rendered: there is no work without a stream.
 *
 * What must hold: at most 32 streams, each for 5 minutes, after which the browser asks again with the version that it
 * has seen; a client that does not read is sent nothing more until it does, and is cut off when it has read nothing for a
 * minute; rights are checked for each rendering.
 */

import { createHash } from 'node:crypto';
import { sleep } from '../../lib/sleep.ts';
import type { AnswerSink, HttpAnswer } from '../answering.ts';

export interface StreamOptions {
  /** Grows when something happens to a run. */
  readonly version: () => number;
  readonly now: () => number;
  /** Waits; default `sleep`. */
  readonly wait?: (delayMs: number, signal: AbortSignal) => Promise<void>;
}

/** Renders the main part of a page; undefined when its user may see it no more. */
export type RenderMain = (signal: AbortSignal) => Promise<string | undefined>;

const MAX_STREAMS = 32;
const LOOK_MS = 1000;
const HEARTBEAT_MS = 15_000;
/** A client that has read nothing for as long is cut off. */
const UNREAD_MS = 60_000;
/** A page that takes long to render is rendered less often: it has at most a twentieth of the time. */
const RENDER_SHARE = 20;
/** How long one stream lasts. */
export const STREAM_MS = 300_000;

/** What a client was sent last. */
interface Sent {
  readonly version: string | undefined;
  readonly atMs: number;
  /** Since when it takes nothing. */
  readonly unreadSinceMs: number | undefined;
}

/** The streams of all open pages. */
export class PageStreams {
  readonly #options: StreamOptions;
  readonly #ended = new AbortController();
  #open = 0;

  constructor(options: StreamOptions) {
    this.#options = options;
  }

  /** How many pages are followed now. */
  get size(): number {
    return this.#open;
  }

  /** The answer that follows a page; undefined when there are too many. `seen` is the version that the client has. */
  open(render: RenderMain, seen: string | undefined): HttpAnswer | undefined {
    if (this.#open >= MAX_STREAMS || this.#ended.signal.aborted) return undefined;
    return {
      status: 200,
      type: 'text/event-stream; charset=utf-8',
      body: 'retry: 2000\n\n',
      headers: { 'cache-control': 'no-store', 'x-accel-buffering': 'no', 'x-content-type-options': 'nosniff' },
      follow: async (sink) => {
        // Counted here, because the client may be gone before its answer begins.
        if (this.#open >= MAX_STREAMS) return;
        this.#open += 1;
        try {
          await this.#follow(render, seen, sink);
        } finally {
          this.#open -= 1;
        }
      },
    };
  }

  /** Ends all streams, so that the server can close. */
  end(): void {
    this.#ended.abort();
  }

  async #follow(render: RenderMain, first: string | undefined, { write, signal: gone }: AnswerSink): Promise<void> {
    const { now, version } = this.#options;
    const signal = AbortSignal.any([gone, this.#ended.signal]);
    const untilMs = now() + STREAM_MS;
    let sent: Sent = { version: first, atMs: now(), unreadSinceMs: undefined };
    while (!signal.aborted && now() < untilMs) {
      const before = version();
      const startedMs = now();
      const main = await render(signal);
      if (main === undefined) return void write('event: over\ndata: \n\n');
      sent = this.#send(main, sent, write);
      await this.#changed(before, now() - startedMs, signal);
    }
  }

  /** Sends what differs, or that there is nothing new; throws for a client that has not read for long. */
  #send(main: string, sent: Sent, write: AnswerSink['write']): Sent {
    const nowMs = this.#options.now();
    const version = versionOf(main);
    const isNew = version !== sent.version;
    if (!isNew && nowMs - sent.atMs < HEARTBEAT_MS) return sent;
    const piece = isNew ? message(version, main) : ': still here\n\n';
    if (write(piece)) return { version, atMs: nowMs, unreadSinceMs: undefined };
    const { unreadSinceMs = nowMs } = sent;
    if (nowMs - unreadSinceMs >= UNREAD_MS) throw new Error('the client does not read');
    return { ...sent, unreadSinceMs };
  }

  /** Waits until something has happened, or for the time of a heartbeat. */
  async #changed(before: number, renderedMs: number, signal: AbortSignal): Promise<void> {
    const { now, version, wait = sleep } = this.#options;
    const untilMs = now() + HEARTBEAT_MS;
    await wait(Math.min(HEARTBEAT_MS, Math.max(LOOK_MS, RENDER_SHARE * renderedMs)), signal);
    while (!signal.aborted && version() === before && now() < untilMs) await wait(LOOK_MS, signal);
  }
}

/** The version of the main part of a page: a hash of it. */
export function versionOf(main: string): string {
  return createHash('sha256').update(main).digest('base64url').slice(0, 12);
}

function message(id: string, main: string): string {
  return `id: ${id}\nevent: main\n${main.replaceAll(/^/gm, 'data: ')}\n\n`;
}
