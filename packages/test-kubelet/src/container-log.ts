const MAX_BYTES = 16 * 1024 * 1024;

/** The output of a container over all its starts; beyond `MAX_BYTES` the oldest is dropped. */
export class ContainerLog {
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;

  append(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    while (this.#bytes > MAX_BYTES && this.#chunks.length > 1) this.#bytes -= this.#chunks.shift()?.length ?? 0;
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }

  /** The last lines, which are the termination message of a failed container that left none. */
  tail(): string {
    return this.text().slice(-2048).split('\n').slice(-80).join('\n').trim();
  }
}
