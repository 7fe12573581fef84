import { sleep } from '../lib/sleep.ts';
import type { ListFrame, ListWatch } from './list-watch.ts';
import type { KubeObject } from './object.ts';
import { createRecovery, type Position, type Restart } from './watch-recovery.ts';

/**
 * What becomes of a collection. `Init` begins a list and voids one that did not end; each of its objects comes as
 * `InitApply`; at `InitDone` what was listed replaces all that was known. `Apply` and `Delete` follow it.
 */
export type ReflectorEvent =
  | { readonly type: 'Init' }
  | { readonly type: 'InitApply'; readonly object: KubeObject }
  | { readonly type: 'InitDone' }
  | { readonly type: 'Apply'; readonly object: KubeObject }
  | { readonly type: 'Delete'; readonly object: KubeObject };

export interface ReflectOptions {
  readonly signal: AbortSignal;
  readonly relists: RelistRequests;
  /** Told of each restart before its delay, with the error that caused it if there was one. */
  readonly onRestart: (restart: Restart, error: unknown) => void;
  readonly now: () => number;
  readonly random: () => number;
}

/** Asks a reflector to list again: at once while it watches, after the list that is on its way else. */
export class RelistRequests {
  #isPending = false;
  #interrupt: () => void = () => {};

  get isPending(): boolean {
    return this.#isPending;
  }

  request(): void {
    this.#isPending = true;
    this.#interrupt();
  }

  /** For the reflector: a list begins that satisfies what was asked until now. */
  settle(): void {
    this.#isPending = false;
  }

  /** For the reflector: what a request does to the stream that is open now. */
  onRequest(interrupt: () => void): void {
    this.#interrupt = interrupt;
  }
}

/** Lists a collection, then follows it whatever happens; ends only when the signal aborts. */
export async function* reflect(
  source: ListWatch,
  options: ReflectOptions,
): AsyncGenerator<ReflectorEvent, void, void> {
  const { signal, relists, onRestart, now } = options;
  const recovery = createRecovery(options);
  let position: Position = { type: 'list', resourceVersion: '' };

  while (!signal.aborted) {
    const interruption = new AbortController();
    const session = AbortSignal.any([signal, interruption.signal]);
    // A list on its way is not interrupted, or requests that keep coming would never let one end.
    relists.onRequest(() => {
      if (position.type === 'watch') interruption.abort();
    });
    if (position.type === 'list') relists.settle();
    const startedAtMs = now();
    let frames = 0;
    let error: unknown;
    try {
      for await (const frame of open(source, position, session)) {
        frames++;
        recovery.succeeded();
        position = advance(position, frame);
        const event = toEvent(frame);
        if (event !== undefined) yield event;
        if (relists.isPending && position.type === 'watch') break;
      }
    } catch (thrown) {
      error = thrown;
    }
    if (signal.aborted) return;
    const isRequested = relists.isPending && position.type === 'watch';
    const end = isRequested ? undefined : { error, frames, livedMs: now() - startedAtMs };
    const restart = end === undefined ? listOnRequest(position) : recovery.after(position, end);
    onRestart(restart, end?.error);
    position = restart.position;
    await sleep(restart.delayMs, session);
    if (relists.isPending) position = { ...position, type: 'list' };
  }
}

function open(source: ListWatch, { type, resourceVersion }: Position, signal: AbortSignal): AsyncIterable<ListFrame> {
  return type === 'list' ? source.list(resourceVersion, signal) : source.watch(resourceVersion, signal);
}

function listOnRequest({ resourceVersion }: Position): Restart {
  return { reason: 'requested', delayMs: 0, position: { type: 'list', resourceVersion } };
}

/** The position after `frame`; the objects of a list that has not ended say nothing about it. */
function advance(position: Position, frame: ListFrame): Position {
  switch (frame.type) {
    case 'ListStart':
    case 'Listed':
      return position;
    case 'ListDone':
    case 'Bookmark':
      return { type: 'watch', resourceVersion: frame.resourceVersion };
    case 'Apply':
    case 'Delete':
      return { type: 'watch', resourceVersion: frame.object.resourceVersion };
  }
}

function toEvent(frame: ListFrame): ReflectorEvent | undefined {
  switch (frame.type) {
    case 'ListStart':
      return { type: 'Init' };
    case 'Listed':
      return { type: 'InitApply', object: frame.object };
    case 'ListDone':
      return { type: 'InitDone' };
    case 'Bookmark':
      return undefined;
    case 'Apply':
    case 'Delete':
      return frame;
  }
}
