import type { Hook } from '../../hook/binding.ts';
import type { HttpTrigger } from '../../hook/trigger.ts';
import { eventually } from '../../lib/deadline.ts';
import { latch, type Latch } from '../../lib/latch.ts';

/** What became of a request whose run has ended. */
export interface RequestEnd {
  /** `dropped`: its hook was changed or removed before it ran, or the operator stopped. */
  readonly outcome: 'succeeded' | 'failed' | 'dropped';
  /** For the caller. */
  readonly message?: string;
}

interface OpenRequest {
  readonly hook: Hook;
  readonly bytes: number;
  readonly end: Latch<RequestEnd>;
  /** Whether a run of it has begun and not ended. */
  isRunning: boolean;
  /** Why its last run failed, for the caller. */
  lastError?: string;
}

/** As many as a queue that stands still may hold, with bodies that fit into memory. */
const MAX_OPEN = 1000;
const MAX_BYTES = 64 * 1024 * 1024;

/** The requests that were taken and whose runs have not ended yet, of all `http` bindings of this process. */
export class OpenRequests {
  readonly #open = new Map<string, OpenRequest>();
  #bytes = 0;
  #isStopped = false;
  readonly #finished = latch();

  /** Whether a request of this size can be taken; the bodies of all wait in memory. */
  hasRoomFor(bytes: number): boolean {
    return this.#open.size < MAX_OPEN && this.#bytes + bytes <= MAX_BYTES;
  }

  /** A request is taken. */
  add(hook: Hook, { runId, request }: HttpTrigger): void {
    const bytes = request.length;
    this.#open.set(runId, { hook, bytes, end: latch<RequestEnd>(), isRunning: false });
    this.#bytes += bytes;
  }

  /** A run of the request has begun. Unknown ids are ignored, here and below. */
  begin(runId: string): void {
    const open = this.#open.get(runId);
    if (open !== undefined) open.isRunning = true;
  }

  /** The request is to be run again; `why` is for its caller. */
  again(runId: string, why: string): void {
    const open = this.#open.get(runId);
    if (open === undefined) return;
    open.isRunning = false;
    open.lastError = why;
    if (this.#isStopped) this.end(runId, STOPPED);
  }

  /** The request has ended: it is not run again. */
  end(runId: string, end: RequestEnd): void {
    const open = this.#open.get(runId);
    if (open === undefined) return;
    this.#open.delete(runId);
    this.#bytes -= open.bytes;
    open.end.resolve(end);
    this.#finishIfDone();
  }

  /** Ends the requests that wait for hooks that are gone. */
  dropGone(isGone: (hook: Hook) => boolean): void {
    for (const [runId, { hook, isRunning }] of this.#open) if (!isRunning && isGone(hook)) this.end(runId, GONE);
  }

  /** No run begins any more: ends the requests that wait for one. */
  stop(): void {
    this.#isStopped = true;
    for (const [runId, { isRunning }] of this.#open) if (!isRunning) this.end(runId, STOPPED);
    this.#finishIfDone();
  }

  /** Why the last run of an open request failed; undefined where none did. */
  lastError(runId: string): string | undefined {
    return this.#open.get(runId)?.lastError;
  }

  /** Resolves when it is stopped and every request has ended. */
  get finished(): Promise<void> {
    return this.#finished.promise;
  }

  /** Resolves at the end of a request; to undefined when it is still open after `limitMs`. */
  async ended(runId: string, limitMs: number, signal: AbortSignal): Promise<RequestEnd | undefined> {
    const open = this.#open.get(runId);
    if (open === undefined) return undefined;
    return eventually<RequestEnd | undefined>({ limitMs, late: () => undefined, signal }, ({ resolve }) => {
      void open.end.promise.then(resolve);
      return undefined;
    });
  }

  #finishIfDone(): void {
    if (this.#isStopped && this.#open.size === 0) this.#finished.resolve();
  }
}

/** The end of a request whose hook is gone. */
export const GONE: RequestEnd = { outcome: 'dropped', message: 'the hook was changed or removed before it ran' };
/** The end of a request that an operator that stops does not run any more. */
export const STOPPED: RequestEnd = { outcome: 'dropped', message: 'the operator stopped before the run succeeded' };
