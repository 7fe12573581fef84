const BYTE_INTERVAL_MS = 1000;

type Mode = 'pass' | 'wait' | 'drip' | 'drop';

/** One direction of a connection, on which bytes pass, wait, drip or are lost. */
export class Lane {
  readonly #write: (bytes: Buffer) => void;
  #mode: Mode = 'pass';
  #waiting: Buffer = Buffer.alloc(0);
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (bytes: Buffer) => void) {
    this.#write = write;
  }

  send(bytes: Buffer): void {
    if (bytes.length === 0 || this.#mode === 'drop') return;
    if (this.#mode === 'pass') this.#write(bytes);
    else this.#waiting = Buffer.concat([this.#waiting, bytes]);
  }

  /** Writes ahead of the waiting bytes. */
  insert(bytes: Buffer): void {
    this.#write(bytes);
  }

  /** Holds all bytes from now on. */
  wait(): void {
    if (this.#mode === 'pass') this.#mode = 'wait';
  }

  /** Passes one byte per second. */
  drip(): void {
    if (this.#mode === 'drop') return;
    this.#mode = 'drip';
    this.#timer ??= setInterval(() => this.#drop(), BYTE_INTERVAL_MS);
  }

  /** Passes everything again, the waiting bytes first. */
  pass(): void {
    if (this.#mode === 'drop') return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#mode = 'pass';
    const waiting = this.#waiting;
    this.#waiting = Buffer.alloc(0);
    this.send(waiting);
  }

  /** Drops the waiting bytes and all later ones. */
  drop(): void {
    clearInterval(this.#timer);
    this.#mode = 'drop';
    this.#waiting = Buffer.alloc(0);
  }

  #drop(): void {
    if (this.#waiting.length === 0) return;
    this.#write(this.#waiting.subarray(0, 1));
    this.#waiting = this.#waiting.subarray(1);
  }
}
