import type { SliceHash } from '../../lib/slice-hash.ts';
import type { ShardsSettings } from './shards.ts';

/** What slices are by with these settings; apart from the rest, which is read only with `--shards`. */
export function sliceHashOf({ isServerSide = false }: Pick<ShardsSettings, 'isServerSide'>): SliceHash {
  return isServerSide ? 'fnv1a' : 'mixed';
}
