import { createHash, randomBytes, randomUUID } from 'node:crypto';

/** Makes what an API server makes up: uids, and the rest of generated names. */
export interface Ids {
  /** A UUID for a new object; `what` names the object. */
  uid(what: string): string;
  /** Five letters after a `generateName`; `what` names the kind, the namespace and the prefix. */
  letters(what: string): string;
}

const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * With a seed, what is made follows from it, from `what`, and from how often that was asked for before: the order in
 * which different objects are made does not matter. Without one it is random.
 */
export function createIds(seed: string | undefined): Ids {
  const counts = new Map<string, number>();
  const bytes = (what: string): Buffer => {
    if (seed === undefined) return randomBytes(16);
    const count = counts.get(what) ?? 0;
    counts.set(what, count + 1);
    return createHash('sha256')
      .update(JSON.stringify([seed, what, count]))
      .digest();
  };
  return {
    uid: (what) => (seed === undefined ? randomUUID() : uuidOf(bytes(`uid ${what}`))),
    letters: (what) => Array.from(bytes(`name ${what}`).subarray(0, 5), (byte) => LETTERS[byte % 27]).join(''),
  };
}

/** A UUID of version 4. */
function uuidOf(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  const variant = ((bytes[8] ?? 0) % 4) + 8;
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`];
  return [...parts, `${variant.toString(16)}${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}
