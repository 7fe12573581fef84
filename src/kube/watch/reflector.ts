/*
 * Turns the lists and watches of one collection into one endless stream of events, as a client-go reflector does.
 * `SharedWatch` consumes it and keeps the store. Its state is a `Position`: about to list, or watching from a
 * resourceVersion. Each frame advances the position; when a stream ends or fails, `watch-recovery.ts` returns the next
 * position and the delay. What must hold: no change is skipped, because a watch continues exactly where the last frame
 * ended and anything uncertain leads to a list; and only the abort signal ends the stream.
 */

import { sleep } from '../../lib/sleep.ts';
import type { ListFrame, ListWatch } from './list-watch.ts';
import type { KubeObject } from '../object.ts';
import { createRecovery, type Position, type Recovery, type Restart } from './watch-recovery.ts';

/**
 * What happens to a collection. `Init` begins a list, and discards one that did not end; each of its objects arrives as
 * `InitApply`; at `InitDone` the listed objects replace everything that was known. `Apply` and `Delete` are changes
 * after that.
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
  /** Called for each restart, before its delay. */
  readonly onRestart: (restart: Restart) => void;
  readonly now: () => number;
  readonly random: () => number;
}

/** Makes a reflector relist: at once while it watches, else after the list in progress. */
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

  /** For the reflector: a list begins, which satisfies all requests so far. */
  settle(): void {
    this.#isPending = false;
  }

  /** For the reflector: sets how a request interrupts the open stream. */
  onRequest(interrupt: () => void): void {
    this.#interrupt = interrupt;
  }
}

/** Lists a collection, then follows it through every failure; ends only when the signal aborts. */
export async function* reflect(source: ListWatch, options: ReflectOptions): AsyncGenerator<ReflectorEvent, void, void> {
  const { signal, relists, onRestart, now } = options;
  const recovery = createRecovery(options);
  const progress: Progress = { position: { type: 'list', resourceVersion: '' }, frames: 0, lastFrame: undefined };

  while (!signal.aborted) {
    const interruption = new AbortController();
    const session = AbortSignal.any([signal, interruption.signal]);
    // A list in progress is not interrupted, or frequent requests would never let one finish.
    relists.onRequest(() => {
      if (progress.position.type === 'watch') interruption.abort();
    });
    const startedAtMs = now();
    const error = yield* follow(open(source, progress.position, session), progress, { relists, recovery });
    if (signal.aborted) return;

    const end = { error, frames: progress.frames, livedMs: now() - startedAtMs };
    const isRequested = relists.isPending && progress.position.type === 'watch';
    // A list in pages has ended as it should: the watch follows without a restart.
    if (error === undefined && progress.lastFrame === 'ListDone' && !isRequested) continue;
    const restart = isRequested ? listOnRequest(progress.position) : recovery.after(progress.position, end);
    onRestart(restart);
    progress.position = restart.position;
    if (restart.delayMs > 0) await sleep(restart.delayMs, session);
    if (relists.isPending) progress.position = { ...progress.position, type: 'list' };
  }
}

/** The position of a reflector, and what the open stream has delivered. */
interface Progress {
  position: Position;
  frames: number;
  lastFrame: ListFrame['type'] | undefined;
}

interface FollowOptions {
  readonly relists: RelistRequests;
  readonly recovery: Recovery;
}

/** Follows one stream to its end; returns the error that ended it, or undefined. */
async function* follow(
  stream: AsyncIterable<ListFrame>,
  progress: Progress,
  { relists, recovery }: FollowOptions,
): AsyncGenerator<ReflectorEvent, unknown, void> {
  progress.frames = 0;
  progress.lastFrame = undefined;
  if (progress.position.type === 'list') relists.settle();
  try {
    for await (const frame of stream) {
      progress.frames++;
      progress.lastFrame = frame.type;
      // `ListStart` is yielded before the server has answered.
      if (frame.type !== 'ListStart') recovery.succeeded();
      progress.position = advance(progress.position, frame);
      const event = toEvent(frame);
      if (event !== undefined) yield event;
      if (relists.isPending && progress.position.type === 'watch') return undefined;
    }
    return undefined;
  } catch (error) {
    return error;
  }
}

function open(source: ListWatch, { type, resourceVersion }: Position, signal: AbortSignal): AsyncIterable<ListFrame> {
  return type === 'list' ? source.list(resourceVersion, signal) : source.watch(resourceVersion, signal);
}

function listOnRequest({ resourceVersion }: Position): Restart {
  return { reason: 'requested', error: undefined, delayMs: 0, position: { type: 'list', resourceVersion } };
}

/** Returns the position after `frame`; the objects of an incomplete list do not change it. */
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
