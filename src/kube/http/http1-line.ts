import { eventually } from '../../lib/deadline.ts';
import { destroyWire, type Wire } from './connect.ts';
import { timedOut, type Carrier } from './http.ts';

/** TCP keep-alive: the kernel closes the connection 4 s after the peer is gone, also where no probe runs. */
const TCP_KEEP_ALIVE = { enable: true, initialDelay: 2000, interval: 1000, count: 2 };

/** One HTTP/1.1 connection. */
export class Line implements Carrier {
  readonly isPinged = false;
  readonly #wire: Wire;
  readonly #lost = new AbortController();
  #bytes = 0;
  #heardAtMs = performance.now();

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** Aborts when the connection is given up. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** All bytes ever received on it. */
  get bytesRead(): number {
    return this.#wire.socket.bytesRead;
  }

  silentForMs(): number {
    return performance.now() - this.#heardAtMs;
  }

  /** The server answered a probe on the path of this connection. */
  heard(): void {
    this.#heardAtMs = performance.now();
  }

  /** Checks whether data arrived since the last call. */
  look(): void {
    const bytes = this.bytesRead;
    if (bytes !== this.#bytes) this.heard();
    this.#bytes = bytes;
  }

  onBytes(listener: (bytes: number) => void): () => void {
    const { socket } = this.#wire;
    const onData = (chunk: Uint8Array): void => listener(chunk.length);
    socket.on('data', onData);
    return () => socket.off('data', onData);
  }

  /** Enables TCP keep-alive. */
  keepAlive(): void {
    this.#wire.tcp.setKeepAlive(TCP_KEEP_ALIVE);
  }

  end(error: Error): void {
    this.#lost.abort(error);
    destroyWire(this.#wire);
  }

  /** Waits until the connection is closed, and ends it after `limitMs`. */
  async finish(limitMs: number): Promise<void> {
    const late = (): void => this.end(timedOut('the connection was retired'));
    await eventually<void>({ limitMs, late, signal: undefined }, ({ resolve }) => {
      const closed = (): void => resolve();
      this.#wire.socket.once('close', closed);
      this.lost.addEventListener('abort', closed, { once: true });
      return () => {
        this.#wire.socket.off('close', closed);
        this.lost.removeEventListener('abort', closed);
      };
    });
  }
}
