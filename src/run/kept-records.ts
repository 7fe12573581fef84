import type { RunLine, RunRecord } from '../hook/run-record.ts';

/** The limits of what is kept. */
export interface KeptLimits {
  /** The runs of one hook. */
  readonly runs: number;
  /** The runs of all hooks, and the output of those that have not ended. */
  readonly bytes: number;
}

/** A record as it is kept: as JSON, because only that has a size that is known. */
export interface KeptRecord {
  readonly id: string;
  readonly hook: string;
  readonly isFailed: boolean;
  readonly startedAtMs: number;
  /** The bits of the names of its objects, to find those of one object without reading all. */
  readonly nameBits: number;
  /** The record without its lines, as JSON in UTF-8. */
  readonly head: Uint8Array;
  /** The lines as a JSON array in UTF-8. */
  readonly log: Uint8Array;
}

const MAX_RECORD_BYTES = 64 * 1024;
/** What a record costs besides its texts. */
const OVERHEAD_BYTES = 600;

interface OfHook {
  readonly records: KeptRecord[];
  bytes: number;
}

/**
 * The records of runs that ended, the last ones of each hook. When all together take too much, the oldest of the hook
 * that takes most is forgotten, so a loud hook costs its own records alone.
 */
export class KeptRecords {
  readonly #limits: KeptLimits;
  readonly #hooks = new Map<string, OfHook>();
  readonly #byId = new Map<string, KeptRecord>();
  #bytes = 0;

  constructor(limits: KeptLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** All records, those of a hook in the order of their runs. */
  *all(): Generator<KeptRecord, void, void> {
    for (const { records } of this.#hooks.values()) yield* records;
  }

  /** The record with this id, whole. */
  get(id: string): KeptRecord | undefined {
    return this.#byId.get(id);
  }

  add(record: KeptRecord): void {
    this.#byId.set(record.id, record);
    const kept = this.#ofHook(record.hook);
    kept.records.push(record);
    this.#count(kept, bytesOf(record));
    if (kept.records.length > this.#limits.runs) this.#forget(kept);
  }

  /** Adds a record of an earlier process before those that are there; returns false when there is no room for it. */
  addBefore(record: KeptRecord): boolean {
    const kept = this.#ofHook(record.hook);
    const bytes = bytesOf(record);
    if (kept.records.length >= this.#limits.runs || this.#bytes + bytes > this.#limits.bytes) return false;
    kept.records.unshift(record);
    this.#byId.set(record.id, record);
    this.#count(kept, bytes);
    return true;
  }

  /** Forgets records until they leave room for `otherBytes`. */
  fit(otherBytes: number): void {
    while (this.#bytes + otherBytes > this.#limits.bytes) {
      const largest = [...this.#hooks.values()].reduce((a, b) => (b.bytes > a.bytes ? b : a), NOTHING);
      if (largest.records.length === 0) return;
      this.#forget(largest);
    }
  }

  #ofHook(hook: string): OfHook {
    const known = this.#hooks.get(hook);
    if (known !== undefined) return known;
    const created: OfHook = { records: [], bytes: 0 };
    this.#hooks.set(hook, created);
    return created;
  }

  #forget(kept: OfHook): void {
    const first = kept.records.shift();
    if (first === undefined) return;
    if (this.#byId.get(first.id) === first) this.#byId.delete(first.id);
    this.#count(kept, -bytesOf(first));
    if (kept.records.length === 0) this.#hooks.delete(first.hook);
  }

  #count(kept: OfHook, bytes: number): void {
    kept.bytes += bytes;
    this.#bytes += bytes;
  }
}

const NOTHING: OfHook = { records: [], bytes: 0 };

/** Makes a record of at most 64 KiB: where it is larger, it loses lines first, then what the hook wrote. */
export function packRecord(record: RunRecord, log: readonly RunLine[]): KeptRecord {
  const encoder = new TextEncoder();
  let head = encoder.encode(JSON.stringify(record));
  if (head.length > MAX_RECORD_BYTES / 2) head = encoder.encode(JSON.stringify(shortened(record)));
  let lines = log;
  let text = encoder.encode(JSON.stringify(lines));
  while (lines.length > 0 && head.length + text.length > MAX_RECORD_BYTES - OVERHEAD_BYTES) {
    lines = lines.slice(Math.ceil(lines.length / 2));
    text = encoder.encode(JSON.stringify(lines));
  }
  const { id, hook, outcome, started } = record;
  const nameBits = record.objects.reduce((bits, { name }) => bits | bitOf(name), 0);
  return { id, hook, isFailed: outcome === 'failed', startedAtMs: Date.parse(started), nameBits, head, log: text };
}

/** Whether a record may be about an object with this name. */
export function mayBeAbout({ nameBits }: KeptRecord, name: string): boolean {
  return (nameBits & bitOf(name)) !== 0;
}

/** One bit of 32. */
function bitOf(name: string): number {
  let hash = 0;
  for (let at = 0; at < name.length; at += 1) hash = (Math.imul(hash, 31) + name.charCodeAt(at)) | 0;
  return 1 << (Math.imul(hash, GOLDEN) >>> 27);
}

// Spreads the hashes of names that differ in their last characters.
const GOLDEN = 0x9e3779b1;

/** The whole record as one JSON text. */
export function jsonOf({ head, log }: KeptRecord): string {
  const text = textOf(head);
  return `${text.slice(0, -1)},"log":${textOf(log)}}`;
}

export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}

/** Without what may be long; what is left fits into a record even if every character were escaped. */
function shortened(record: RunRecord): RunRecord {
  const { warnings: _warnings, parts: _parts, result, ...rest } = record;
  const { output: _output, ...said } = result ?? {};
  return {
    ...rest,
    ...(result !== undefined && { result: said }),
    objects: record.objects.slice(0, 5),
    moreObjects: record.objects.length + (record.moreObjects ?? 0) - Math.min(5, record.objects.length),
    patches: record.patches.slice(0, 2),
    morePatches: record.patches.length + (record.morePatches ?? 0) - Math.min(2, record.patches.length),
  };
}

function bytesOf({ head, log }: KeptRecord): number {
  return head.length + log.length + OVERHEAD_BYTES;
}
