/** What places an object in the order of lists and snapshots. */
export interface Placed {
  readonly namespace: string;
  readonly name: string;
}

/** Chunks are split at this length, so that an insertion moves no more than this, however many objects there are. */
const MAX_CHUNK = 512;

/**
 * Objects by namespace and name, kept in that order: a sorted list in short chunks. It costs some ten bytes an object
 * where a map costs fifty and a key, and is read in order without sorting.
 */
export class ObjectIndex<T extends Placed> {
  readonly #chunks: T[][] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(place: Placed): T | undefined {
    const chunk = this.#chunks[this.#chunkOf(place)];
    if (chunk === undefined) return undefined;
    const found = chunk[positionIn(chunk, place)];
    return found !== undefined && isSamePlace(found, place) ? found : undefined;
  }

  /** Puts `object` at its place, and returns what was there. */
  set(object: T): T | undefined {
    if (this.#append(object)) return undefined;
    const at = this.#chunkOf(object);
    const chunk = this.#chunks[at];
    if (chunk === undefined) return undefined;
    const position = positionIn(chunk, object);
    const found = chunk[position];
    if (found !== undefined && isSamePlace(found, object)) {
      chunk[position] = object;
      return found;
    }
    chunk.splice(position, 0, object);
    this.#size++;
    if (chunk.length > MAX_CHUNK) this.#chunks.splice(at + 1, 0, chunk.splice(MAX_CHUNK / 2));
    return undefined;
  }

  delete(place: Placed): void {
    const at = this.#chunkOf(place);
    const chunk = this.#chunks[at];
    if (chunk === undefined) return;
    const position = positionIn(chunk, place);
    const found = chunk[position];
    if (found === undefined || !isSamePlace(found, place)) return;
    chunk.splice(position, 1);
    this.#size--;
    if (chunk.length === 0) this.#chunks.splice(at, 1);
  }

  /** All objects in order; not to be changed meanwhile. */
  *[Symbol.iterator](): Generator<T, void, void> {
    for (const chunk of this.#chunks) yield* chunk;
  }

  /** All objects in order, in an array of the caller's own. */
  toArray(): T[] {
    return this.#chunks.flat();
  }

  /** Lists come in order, so the end is where most objects belong. */
  #append(object: T): boolean {
    const last = this.#chunks.at(-1);
    const end = last?.at(-1);
    if (end !== undefined && !isBefore(end, object)) return false;
    // Half full, so that what comes in between later finds room.
    if (last === undefined || last.length >= MAX_CHUNK / 2) this.#chunks.push([object]);
    else last.push(object);
    this.#size++;
    return true;
  }

  /** The last chunk that starts at or before `place`, else the first. */
  #chunkOf(place: Placed): number {
    let low = 0;
    let high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      const first = this.#chunks[middle]?.[0];
      if (first !== undefined && !isBefore(place, first)) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** Orders by namespace, then by name, as the API server does in its lists. */
export function comparePlaces(left: Placed, right: Placed): number {
  if (isBefore(left, right)) return -1;
  return isSamePlace(left, right) ? 0 : 1;
}

/** Whether both are the same object's place. */
export function isSamePlace(left: Placed, right: Placed): boolean {
  return left.name === right.name && left.namespace === right.namespace;
}

function isBefore(left: Placed, right: Placed): boolean {
  if (left.namespace !== right.namespace) return left.namespace < right.namespace;
  return left.name < right.name;
}

/** Where `place` is in `chunk`, or would be. */
function positionIn(chunk: readonly Placed[], place: Placed): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const object = chunk[middle];
    if (object !== undefined && isBefore(object, place)) low = middle + 1;
    else high = middle;
  }
  return low;
}
