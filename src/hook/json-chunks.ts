/** Builds JSON as a list of byte chunks: text written here, and bytes of objects that are added without copying. */
export class JsonChunks {
  readonly #chunks: Uint8Array[] = [];
  #text = '';

  /** Adds JSON text as it is. */
  text(json: string): this {
    this.#text += json;
    return this;
  }

  /** Adds a string as a JSON string, and escapes the characters that Go's encoder escapes. */
  value(value: string): this {
    return this.text(JSON.stringify(value).replaceAll(/[<>&\u2028\u2029]/g, escapeCharacter));
  }

  /** Adds JSON bytes without copying them; the caller must not change them afterwards. */
  bytes(json: Uint8Array): this {
    this.#flush();
    this.#chunks.push(json);
    return this;
  }

  /** Adds an array or an object: `write` adds one element, this method the brackets and commas. */
  list<T>(open: '[' | '{', elements: readonly T[], write: (element: T) => void): void {
    this.text(open);
    for (const [index, element] of elements.entries()) {
      if (index > 0) this.text(',');
      write(element);
    }
    this.text(open === '[' ? ']' : '}');
  }

  finish(): readonly Uint8Array[] {
    this.#flush();
    return this.#chunks;
  }

  #flush(): void {
    if (this.#text === '') return;
    this.#chunks.push(Buffer.from(this.#text));
    this.#text = '';
  }
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
