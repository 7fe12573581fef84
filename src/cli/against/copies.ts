import type { JsonObject, Mirror } from '@hooklet/sandbox';
import { asJsonObject, text } from '../../kube/object.ts';
import type { Logger } from '../../log.ts';

/** An object of the real cluster, by its place. */
export interface Place {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

const MAX_OBJECTS = 20_000;
const MAX_BYTES = 512 * 1024 * 1024;

interface Copy {
  /** The resourceVersion in the real cluster, and that of the copy as it was made. */
  readonly real: string;
  readonly own: string;
  readonly bytes: number;
  /** Who wants it: several selections may have one object. */
  readonly holders: Set<string>;
}

interface Writing extends Omit<Copy, 'own'> {
  readonly known: Copy | undefined;
}

/**
 * The objects of the real cluster that are in the sandbox. Each is written only when the real one changes, so what hooks
 * did to it stays until then: the cluster wins, and the log says where that drops a change of a hook. `MAX_OBJECTS` and
 * `MAX_BYTES` bound what is copied.
 */
export class Copies {
  readonly #mirror: Mirror;
  readonly #log: Logger;
  readonly #copies = new Map<string, Copy>();
  #bytes = 0;
  #isFull = false;

  constructor(mirror: Mirror, log: Logger) {
    this.#mirror = mirror;
    this.#log = log;
  }

  get size(): number {
    return this.#copies.size;
  }

  /** Brings the copy of an object up to date; `holder` wants it until `drop`. */
  put(object: JsonObject, bytes: number, holder: string): void {
    const place = placeOf(object);
    const known = this.#copies.get(keyOf(place));
    const real = text(asJsonObject(object['metadata'])['resourceVersion']);
    known?.holders.add(holder);
    // Its definition may have been deleted here.
    if (known?.real === real || !this.#mirror.serves(object)) return;
    if (known === undefined && this.#refuses(bytes, place)) return;
    this.#write(object, place, { real, bytes, known, holders: known?.holders ?? new Set([holder]) });
  }

  #write(object: JsonObject, place: Place, { real, bytes, known, holders }: Writing): void {
    this.#ensureNamespace(place.namespace);
    const current = this.#mirror.versionOf(object);
    if (known !== undefined && current !== known.own) this.#tell(place, current === undefined);
    const own = this.#mirror.put(object);
    this.#bytes += bytes - (known?.bytes ?? 0);
    this.#copies.set(keyOf(place), { real, own, bytes, holders });
  }

  /** The object is gone, or no longer what `holder` wants. */
  drop(place: Place, holder: string): void {
    const key = keyOf(place);
    const known = this.#copies.get(key);
    if (known === undefined) return;
    known.holders.delete(holder);
    if (known.holders.size > 0) return;
    this.#copies.delete(key);
    this.#bytes -= known.bytes;
    const { namespace, name } = place;
    this.#mirror.remove({ ...place, metadata: { name, ...(namespace !== '' && { namespace }) } });
  }

  #refuses(bytes: number, place: Place): boolean {
    if (this.#copies.size < MAX_OBJECTS && this.#bytes + bytes <= MAX_BYTES) return false;
    if (!this.#isFull) {
      const limit = `${MAX_OBJECTS} objects or ${MAX_BYTES / 1024 / 1024} MiB`;
      const advice = 'select fewer objects in the bindings, such as one namespace';
      this.#log.error({ first: keyOf(place), limit, advice }, 'the cluster has more objects than dev copies');
    }
    this.#isFull = true;
    return true;
  }

  #tell(place: Place, isDeleted: boolean): void {
    const what = isDeleted
      ? 'the cluster still has an object that was deleted here: it is back'
      : 'the cluster changed an object that was changed here: the change made here is dropped';
    this.#log.warn({ object: keyOf(place) }, what);
  }

  /** Hooks may want to create objects beside copies. */
  #ensureNamespace(name: string): void {
    if (name === '') return;
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, uid: `namespace-${name}` } };
    if (this.#mirror.versionOf(namespace) === undefined) {
      this.#mirror.put({ ...namespace, spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } });
    }
  }
}

/** The place of an object. */
export function placeOf(object: JsonObject): Place {
  const metadata = asJsonObject(object['metadata']);
  return {
    apiVersion: text(object['apiVersion']),
    kind: text(object['kind']),
    namespace: text(metadata['namespace']),
    name: text(metadata['name']),
  };
}

function keyOf({ apiVersion, kind, namespace, name }: Place): string {
  return [apiVersion, kind, ...(namespace === '' ? [] : [namespace]), name].join('/');
}
