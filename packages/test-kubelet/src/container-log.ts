const MAX_BYTES = 16 * 1024 * 1024;

/** What a container wrote, of all its starts; of more than 16 MiB the oldest goes. */
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

  /** The last lines, as the message of a container that failed without one. */
  tail(): string {
    return this.text().slice(-2048).split('\n').slice(-80).join('\n').trim();
  }
}
