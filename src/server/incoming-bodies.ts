import { BodyError } from './request-body.ts';

/** What bodies may take together while they arrive and are worked on. */
export interface IncomingLimits {
  /** Bodies that arrive at the same time; default: no limit. */
  readonly maxArriving?: number | undefined;
  /** Bytes of all bodies that have arrived, until their requests have ended; default: no limit. */
  readonly maxTotalBytes?: number | undefined;
}

/** A body that arrives. */
export interface IncomingBody {
  /** Counts a piece that has arrived. */
  add(bytes: number): void;
  /** The body is complete: it gives way to no other. */
  complete(): void;
  /** The request has ended. */
  end(): void;
}

interface Arriving {
  bytes: number;
  readonly refuse: (error: BodyError) => void;
}

/**
 * Bounds the bodies of a server. Where there are too many, the one that has been arriving longest is refused: bodies of
 * the API server arrive in milliseconds, so clients that send slowly cannot keep them out.
 */
export class IncomingBodies {
  readonly #limits: IncomingLimits;
  /** In the order in which they began. */
  readonly #arriving = new Set<Arriving>();
  #bytes = 0;

  constructor(limits: IncomingLimits) {
    this.#limits = limits;
  }

  /** A body begins to arrive; `refuse` is called if it has to give way. */
  begin(refuse: (error: BodyError) => void): IncomingBody {
    const { maxArriving = Infinity, maxTotalBytes = Infinity } = this.#limits;
    const body: Arriving = { bytes: 0, refuse };
    this.#arriving.add(body);
    if (this.#arriving.size > maxArriving) this.#refuseOldest();
    return {
      add: (bytes) => {
        body.bytes += bytes;
        this.#bytes += bytes;
        while (this.#bytes > maxTotalBytes && this.#arriving.size > 0) this.#refuseOldest();
      },
      complete: () => this.#arriving.delete(body),
      end: () => {
        this.#arriving.delete(body);
        this.#bytes -= body.bytes;
        body.bytes = 0;
      },
    };
  }

  #refuseOldest(): void {
    const [oldest] = this.#arriving;
    if (oldest === undefined) return;
    this.#arriving.delete(oldest);
    this.#bytes -= oldest.bytes;
    oldest.bytes = 0;
    oldest.refuse(new BodyError(408, 'other requests need the room of this one, whose body arrives too slowly'));
  }
}
