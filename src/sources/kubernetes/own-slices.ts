import type { ResourceKind } from '../../kube/kind.ts';
import type { OwnSlice } from '../../hook/shard.ts';
import type { SliceHash } from '../../lib/slice-hash.ts';

/** The slices of all objects that this replica works on. */
export interface OwnSlices {
  /** What the slices are by. */
  readonly hash: SliceHash;
  /** By their index, in order. */
  readonly owned: readonly OwnSlice[];
  /** Tells of each slice that comes or goes, until the returned function is called. */
  follow(listener: SlicesListener): () => void;
}

/** Receives the changes of `OwnSlices`, which show them already. */
export interface SlicesListener {
  taken(slice: OwnSlice): void;
  given(slice: OwnSlice): void;
}

/** Has a monitor follow the objects of the own slices alone. */
export interface Division {
  readonly slices: OwnSlices;
  /**
   * What of an object says its slice; undefined: all objects of the kind are followed. Throws an error for a kind whose
   * objects cannot be divided as the binding says.
   */
  readonly fieldOf: (kind: ResourceKind) => 'namespace' | 'uid' | undefined;
}
