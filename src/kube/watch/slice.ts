import { sliceOfText, type SliceHash } from '../../lib/slice-hash.ts';

/** The field of an object's metadata that decides in which slice it is; it never changes. */
export type SliceField = 'namespace' | 'uid';

/** The objects whose field hashes into one of the 64 slices; `index` is from 0 to 63. */
export interface Slice {
  readonly field: SliceField;
  readonly index: number;
}

/** What of an object decides in which slices it is. */
export interface Sliced {
  readonly namespace: string;
  readonly uid: string;
}

/** The slice of an object by each field. */
export type SliceIndexes = Readonly<Record<SliceField, number>>;

/** Returns the slice of an object by each field. */
export function sliceIndexesOf(hash: SliceHash, { namespace, uid }: Sliced): SliceIndexes {
  return { namespace: sliceOfText(hash, namespace), uid: sliceOfText(hash, uid) };
}

/** Whether an object with these slices is of `slice`; without a slice every object is. */
export function isOfSlice(slice: Slice | undefined, indexes: SliceIndexes | undefined): boolean {
  return slice === undefined || indexes?.[slice.field] === slice.index;
}

/** A slice by `fnv1a` as the API's `shardSelector` parameter (KEP-5866), exactly as the API server echoes it. */
export function shardSelectorText({ field, index }: Slice): string {
  return `shardRange(object.metadata.${field}, '${startOf(index)}', '${startOf(index + 1)}')`;
}

/** The first hash of a slice in 16 hexadecimal digits; 2^64, the end of the last slice, has 17. */
function startOf(index: number): string {
  const digits = (index * 4).toString(16).padStart(2, '0');
  return `0x${digits}${'0'.repeat(14)}`;
}
