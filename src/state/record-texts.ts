import type { Unreadable } from './kept-log.ts';
import type { Refused, Store, StoreWrite } from './store.ts';

/** Encodes records as text and decodes them. */
export interface Codec<T> {
  format(record: T): string;
  /** Throws an error that names the problem. */
  parse(text: string): T;
}

/** A store of texts, and how records are encoded in it. */
export interface TextPlace<T> {
  readonly store: Store;
  readonly codec: Codec<T>;
  readonly onUnreadable: (unreadable: Unreadable) => void;
}

/** The result of reading the records of a store. */
export type RecordsRead<T> =
  | { readonly type: 'read'; readonly records: ReadonlyMap<string, T> }
  | { readonly type: 'conflict' }
  | Refused;

const CORRUPT = '.corrupt';

/**
 * Reads the records of a store. A text that cannot be parsed is reported, and copied to the key with the suffix
 * `.corrupt`.
 */
export async function readRecords<T>(place: TextPlace<T>, signal: AbortSignal): Promise<RecordsRead<T>> {
  const { store, codec, onUnreadable } = place;
  const read = await store.read(signal);
  if (read.type === 'refused') return read;
  const records = new Map<string, T>();
  const aside = new Map<string, string>();
  for (const [key, text] of read.texts) {
    if (key.endsWith(CORRUPT)) continue;
    try {
      records.set(key, codec.parse(text));
    } catch (error) {
      const keptAs = key + CORRUPT;
      aside.set(keptAs, text);
      onUnreadable({ key, keptAs, text, error });
    }
  }
  if (aside.size > 0 && (await store.write(aside, signal)).type === 'conflict') return { type: 'conflict' };
  return { type: 'read', records };
}

/** Writes these records; does nothing when there are none. */
export async function writeRecords<T>(
  { store, codec }: TextPlace<T>,
  records: ReadonlyMap<string, T>,
  signal: AbortSignal,
): Promise<StoreWrite> {
  if (records.size === 0) return { type: 'written' };
  return store.write(new Map([...records].map(([key, record]) => [key, codec.format(record)])), signal);
}
