import type { RecordingState } from '../../hook/run-control.ts';

/** Where recordings are kept, by names of letters, digits, `-` and `.`. */
export interface RecordingPlace {
  /** The names that are there, with their sizes. */
  list(): Promise<readonly { readonly name: string; readonly bytes: number }[]>;
  write(name: string, bytes: Uint8Array): Promise<void>;
  read(name: string): Promise<Uint8Array | undefined>;
  remove(name: string): Promise<void>;
}

interface Kept {
  readonly name: string;
  readonly isFailed: boolean;
  readonly bytes: number;
}

const NAME = /^\d{13}-([fo])-([0-9a-f-]{36})\.json\.gz$/;
const ID = /^[0-9a-f-]{36}$/;
/** What a recording costs besides its bytes. */
const OVERHEAD = 300;
const MAX_NOTES = 2000;
/** The part of the room that runs that failed may fill. */
const FAILED_SHARE = 0.75;

/**
 * The recordings that are kept, within a number of bytes. When there is no room, the oldest of a run that did not fail is
 * dropped first; those of runs that failed are dropped only among themselves, while they fill more than three quarters.
 */
export class RecordingStore {
  readonly #place: RecordingPlace;
  readonly #maxBytes: number;
  /** By the ids of their runs, in the order of their ends. */
  readonly #failed = new Map<string, Kept>();
  readonly #others = new Map<string, Kept>();
  #bytes = 0;
  #failedBytes = 0;
  readonly #notes = new Map<string, string>();

  constructor(place: RecordingPlace, maxBytes: number) {
    this.#place = place;
    this.#maxBytes = maxBytes;
  }

  /** Takes over what an earlier process kept. */
  async fill(): Promise<void> {
    const found = await this.#place.list();
    for (const { name, bytes } of found.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const [, mark, id] = NAME.exec(name) ?? [];
      if (id === undefined || this.#find(id) !== undefined) continue;
      this.#keep(id, { name, isFailed: mark === 'f', bytes });
    }
    await this.#fit();
  }

  async add(id: string, bytes: Uint8Array, { isFailed, endedAtMs }: EndedRun): Promise<void> {
    if (!ID.test(id) || this.#find(id) !== undefined) return;
    if (bytes.length + OVERHEAD > this.#maxBytes) {
      this.note(id, `it takes ${bytes.length} bytes, and all recordings together may take ${this.#maxBytes}`);
      return;
    }
    const time = String(Math.max(0, Math.trunc(endedAtMs)))
      .padStart(13, '0')
      .slice(0, 13);
    const name = `${time}-${isFailed ? 'f' : 'o'}-${id}.json.gz`;
    await this.#place.write(name, bytes);
    this.#keep(id, { name, isFailed, bytes: bytes.length });
    await this.#fit();
  }

  /** Remembers why there is no recording of a run. */
  note(id: string, why: string): void {
    this.#notes.set(id, why);
    const [first] = this.#notes.keys();
    if (this.#notes.size > MAX_NOTES && first !== undefined) this.#notes.delete(first);
  }

  state(id: string): RecordingState {
    const kept = this.#find(id);
    if (kept !== undefined) return { type: 'kept', bytes: kept.bytes };
    return { type: 'none', why: this.#notes.get(id) ?? 'it is not kept any more, or the run has not ended' };
  }

  async read(id: string): Promise<Uint8Array | undefined> {
    const kept = this.#find(id);
    return kept && this.#place.read(kept.name);
  }

  #find(id: string): Kept | undefined {
    return this.#failed.get(id) ?? this.#others.get(id);
  }

  #keep(id: string, kept: Kept): void {
    (kept.isFailed ? this.#failed : this.#others).set(id, kept);
    this.#count(kept, kept.bytes + OVERHEAD);
  }

  #count({ isFailed }: Kept, bytes: number): void {
    this.#bytes += bytes;
    if (isFailed) this.#failedBytes += bytes;
  }

  async #fit(): Promise<void> {
    while (this.#bytes > this.#maxBytes) {
      const isTooFailed = this.#failedBytes > this.#maxBytes * FAILED_SHARE || this.#others.size === 0;
      const from = isTooFailed ? this.#failed : this.#others;
      const [first] = from;
      if (first === undefined) return;
      const [id, kept] = first;
      from.delete(id);
      this.#count(kept, -kept.bytes - OVERHEAD);
      this.note(id, 'it was dropped for newer ones, see --record-bytes');
      await this.#place.remove(kept.name);
    }
  }
}

export interface EndedRun {
  readonly isFailed: boolean;
  readonly endedAtMs: number;
}

/** Recordings in memory. */
export function memoryPlace(): RecordingPlace {
  const kept = new Map<string, Uint8Array>();
  return {
    list: async () => [...kept].map(([name, { length: bytes }]) => ({ name, bytes })),
    write: async (name, bytes) => void kept.set(name, bytes),
    read: async (name) => kept.get(name),
    remove: async (name) => void kept.delete(name),
  };
}
