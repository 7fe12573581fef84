import type { HttpTrigger } from '../../hook/trigger.ts';
import { eventually } from '../../lib/deadline.ts';
import { latch, type Latch } from '../../lib/latch.ts';

/** What became of a request whose run has ended. */
export interface RequestEnd {
  /** `dropped`: its hook was changed or removed before it ran. */
  readonly outcome: 'succeeded' | 'failed' | 'dropped';
  /** Of a failure, for the caller. */
  readonly message?: string;
}

interface OpenRequest {
  readonly bytes: number;
  readonly end: Latch<RequestEnd>;
}

/** As many as a queue that stands still may hold, with bodies that fit into memory. */
const MAX_OPEN = 1000;
const MAX_BYTES = 64 * 1024 * 1024;

/** The requests that were taken and whose runs have not ended yet, of all `http` bindings of this process. */
export class OpenRequests {
  readonly #open = new Map<string, OpenRequest>();
  #bytes = 0;

  /** Whether a request of this size can be taken; the bodies of all wait in memory. */
  hasRoomFor(bytes: number): boolean {
    return this.#open.size < MAX_OPEN && this.#bytes + bytes <= MAX_BYTES;
  }

  /** A request is taken. */
  add({ runId, request }: HttpTrigger): void {
    const bytes = request.length;
    this.#open.set(runId, { bytes, end: latch<RequestEnd>() });
    this.#bytes += bytes;
  }

  /** The request has ended: it is not run again. Unknown ids are ignored. */
  end(runId: string, end: RequestEnd): void {
    const open = this.#open.get(runId);
    if (open === undefined) return;
    this.#open.delete(runId);
    this.#bytes -= open.bytes;
    open.end.resolve(end);
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
}
