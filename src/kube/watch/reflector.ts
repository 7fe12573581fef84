import { sleep } from '../../lib/sleep.ts';
import type { ListFrame, ListWatch } from './list-watch.ts';
import type { KubeObject } from '../object.ts';
import { createRecovery, type Position, type Recovery, type Restart } from './watch-recovery.ts';

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
  /** Told of each restart before its delay. */
  readonly onRestart: (restart: Restart) => void;
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
export async function* reflect(source: ListWatch, options: ReflectOptions): AsyncGenerator<ReflectorEvent, void, void> {
  const { signal, relists, onRestart, now } = options;
  const recovery = createRecovery(options);
  const progress: Progress = { position: { type: 'list', resourceVersion: '' }, frames: 0, lastFrame: undefined };

  while (!signal.aborted) {
    const interruption = new AbortController();
    const session = AbortSignal.any([signal, interruption.signal]);
    // A list on its way is not interrupted, or requests that keep coming would never let one end.
    relists.onRequest(() => {
      if (progress.position.type === 'watch') interruption.abort();
    });
    const startedAtMs = now();
    const error = yield* follow(open(source, progress.position, session), progress, { relists, recovery });
    if (signal.aborted) return;

    const end = { error, frames: progress.frames, livedMs: now() - startedAtMs };
    const isRequested = relists.isPending && progress.position.type === 'watch';
    // The end of a list in pages is no end of a watch.
    if (error === undefined && progress.lastFrame === 'ListDone' && !isRequested) continue;
    const restart = isRequested ? listOnRequest(progress.position) : recovery.after(progress.position, end);
    onRestart(restart);
    progress.position = restart.position;
    if (restart.delayMs > 0) await sleep(restart.delayMs, session);
    if (relists.isPending) progress.position = { ...progress.position, type: 'list' };
  }
}

/** Where a reflector is, and what the stream brought that is open. */
interface Progress {
  position: Position;
  frames: number;
  lastFrame: ListFrame['type'] | undefined;
}

interface FollowOptions {
  readonly relists: RelistRequests;
  readonly recovery: Recovery;
}

/** Follows one stream to its end, and returns the error that ended it if one did. */
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
      // A list starts before the server has answered.
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
