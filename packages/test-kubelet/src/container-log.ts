const MAX_BYTES = 16 * 1024 * 1024;
const NEWLINE = 10;

interface Piece {
  readonly bytes: Uint8Array;
  readonly atMs: number;
}

/** A line of a log, with when it was written. */
export interface LogLine {
  readonly text: string;
  readonly atMs: number;
}

/** The output of a container over all its starts; beyond `MAX_BYTES` the oldest is dropped. */
export class ContainerLog {
  readonly #pieces: Piece[] = [];
  #bytes = 0;

  append(bytes: Uint8Array): void {
    this.#pieces.push({ bytes, atMs: Date.now() });
    this.#bytes += bytes.length;
    while (this.#bytes > MAX_BYTES && this.#pieces.length > 1) this.#bytes -= this.#pieces.shift()?.bytes.length ?? 0;
  }

  text(): string {
    return Buffer.concat(this.#pieces.map(({ bytes }) => bytes)).toString('utf8');
  }

  /** Its complete lines. */
  lines(): readonly LogLine[] {
    const text = this.text().split('\n');
    const times = this.#pieces.flatMap(({ bytes, atMs }) =>
      Array.from({ length: bytes.filter((byte) => byte === NEWLINE).length }, () => atMs),
    );
    return times.map((atMs, index) => ({ text: text[index] ?? '', atMs }));
  }

  /** The last lines, which are the termination message of a failed container that left none. */
  tail(): string {
    return this.text().slice(-2048).split('\n').slice(-80).join('\n').trim();
  }
}
