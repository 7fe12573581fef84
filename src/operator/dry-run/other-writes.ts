import { apiPath } from '../../kube/api-path.ts';
import type { KubeRequest } from '../../kube/client.ts';
import { placeOfPath } from './object-place.ts';
import { ownedFields, type OwnedFields } from './owned-fields.ts';
import { valueAt } from './field-changes.ts';
import { isObject } from '../../lib/json-object.ts';

/** What the other version has written to an object, and this one has not tried to. */
export interface OtherWrite {
  readonly path: string;
  readonly owned: OwnedFields;
}

export interface OtherWritesOptions {
  /** What was written before it does not count. */
  readonly startMs: number;
  /** How long this version has to try the same object, before and after. */
  readonly afterMs: number;
  readonly now: () => number;
}

interface Seen extends OtherWrite {
  readonly seenMs: number;
}

const MAX_WAITING = 5000;
const MAX_REMEMBERED = 10_000;
const HINTS = ['"hooklet', '"shell-operator'].map((text) => Buffer.from(text));

/**
 * Finds in the watches of this version what the other one writes to the objects that hooks follow: the API server keeps
 * with each object who wrote which fields, and when. Who deleted an object it does not keep.
 */
export class OtherWrites {
  readonly #options: OtherWritesOptions;
  readonly #waiting = new Map<string, Seen>();
  /** The last write of a manager to an object that was seen. */
  readonly #known = new Map<string, number>();
  /** When this version has tried an object last. */
  readonly #tried = new Map<string, number>();

  constructor(options: OtherWritesOptions) {
    this.#options = options;
  }

  /** Passes on the lines of a watch, and looks at them. */
  async *tap({ path, query }: KubeRequest, lines: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const isWatch = query?.['watch'] === 'true';
    for await (const line of lines) {
      if (isWatch) this.#look(path, line);
      yield line;
    }
  }

  /** This version has tried to write the object at this path. */
  tried(path: string): void {
    remember(this.#tried, path, this.#options.now());
  }

  /** What was not tried in time; each write is returned once. */
  due(): readonly OtherWrite[] {
    const { afterMs, now } = this.#options;
    const nowMs = now();
    const due = [...this.#waiting].filter(([, { seenMs }]) => seenMs + afterMs <= nowMs);
    for (const [key] of due) this.#waiting.delete(key);
    return due
      .map(([, seen]) => seen)
      .filter(({ path, seenMs }) => (this.#tried.get(path) ?? Number.NEGATIVE_INFINITY) < seenMs - afterMs);
  }

  #look(watched: string, line: Uint8Array): void {
    const bytes = Buffer.from(line.buffer, line.byteOffset, line.byteLength);
    // Most lines are of objects that neither has ever written.
    if (!HINTS.some((hint) => bytes.includes(hint))) return;
    const found = changedIn(bytes, watched);
    if (found !== undefined) for (const owned of ownedFields(found.object)) this.#note(found.path, owned);
  }

  #note(path: string, owned: OwnedFields): void {
    const { startMs, now } = this.#options;
    const key = JSON.stringify([path, owned.manager, owned.subresource]);
    // The times of the API server have whole seconds.
    const isOld = owned.timeMs + 999 < startMs || owned.timeMs <= (this.#known.get(key) ?? 0);
    if (isOld) return;
    remember(this.#known, key, owned.timeMs);
    if (this.#waiting.size < MAX_WAITING || this.#waiting.has(key)) {
      this.#waiting.set(key, { path, owned, seenMs: this.#waiting.get(key)?.seenMs ?? now() });
    }
  }
}

interface Changed {
  readonly object: unknown;
  readonly path: string;
}

/** The object of an event that is not a deletion; undefined for what cannot be read, which the watch itself tells. */
function changedIn(line: Buffer, watched: string): Changed | undefined {
  try {
    const event: unknown = JSON.parse(line.toString('utf8'));
    if (!isObject(event) || (event['type'] !== 'ADDED' && event['type'] !== 'MODIFIED')) return undefined;
    const { object } = event;
    return { object, path: pathOf(watched, object) };
  } catch {
    return undefined;
  }
}

/** The path of an object of a watch. */
function pathOf(watched: string, object: unknown): string {
  const place = placeOfPath(watched);
  const [name, namespace] = [valueAt(object, ['metadata', 'name']), valueAt(object, ['metadata', 'namespace'])];
  if (place === undefined || typeof name !== 'string') throw new Error('no object');
  const root = place.apiVersion.includes('/') ? ['apis', ...place.apiVersion.split('/')] : ['api', place.apiVersion];
  const inside = typeof namespace === 'string' && namespace !== '' ? ['namespaces', namespace] : [];
  return apiPath(...root, ...inside, place.resource, name);
}

function remember(map: Map<string, number>, key: string, value: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_REMEMBERED && oldest !== undefined) map.delete(oldest);
}
