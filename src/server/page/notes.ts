import { randomBytes } from 'node:crypto';

const MAX_NOTES = 100;

/**
 * What was just done, for the page that a browser is sent to after a form. The URL has an id of it alone, so that
 * nobody can make a link that says something.
 */
export class Notes {
  readonly #kept = new Map<string, string>();

  add(text: string): string {
    const id = randomBytes(6).toString('base64url');
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= MAX_NOTES && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(id, text);
    return id;
  }

  of(id: string | undefined): string | undefined {
    return id === undefined ? undefined : this.#kept.get(id);
  }
}
