import { createHash, randomBytes, randomUUID } from 'node:crypto';

/** Makes what an API server makes up: uids, and the rest of generated names. */
export interface Ids {
  /** A UUID for a new object; `what` names the object. */
  uid(what: string): string;
  /** Five letters after a `generateName`; `what` names the kind, the namespace and the prefix. */
  letters(what: string): string;
}

/** Makes all that follows from a seed otherwise, except the uids that a text names. */
export interface Variant {
  readonly name: string;
  readonly keeps: string;
}

const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * With a seed, what is made follows from it, from `what`, and from how often that was asked for before: the order in
 * which different objects are made does not matter. Without one it is random.
 */
export function createIds(seed: string | undefined, variant?: Variant): Ids {
  const counts = new Map<string, number>();
  const count = (what: string): number => {
    const before = counts.get(what) ?? 0;
    counts.set(what, before + 1);
    return before;
  };
  const varied = variant === undefined ? seed : `${seed ?? ''} ${variant.name}`;
  const uid = (what: string): string => {
    if (seed === undefined) return randomUUID();
    const which = count(what);
    const own = uuidOf(bytes(seed, what, which));
    return varied === seed || variant?.keeps.includes(own) === true ? own : uuidOf(bytes(`${varied}`, what, which));
  };
  const random = (what: string): Buffer => (varied === undefined ? randomBytes(16) : bytes(varied, what, count(what)));
  return {
    uid: (what) => uid(`uid ${what}`),
    letters: (what) => Array.from(random(`name ${what}`).subarray(0, 5), (byte) => LETTERS[byte % 27]).join(''),
  };
}

function bytes(seed: string, what: string, count: number): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([seed, what, count]))
    .digest();
}

/** A UUID of version 4. */
function uuidOf(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  const variant = ((bytes[8] ?? 0) % 4) + 8;
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`];
  return [...parts, `${variant.toString(16)}${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}
