/**
 * By what the objects of a binding are divided among replicas with `--shards`: those of a namespace stay together, each
 * is by itself, or all are on one replica.
 */
export type Shard = 'namespace' | 'uid' | 'none';

/** The words of the config. */
export const SHARDS = { namespace: 'namespace', uid: 'uid', none: 'none' } as const;

/**
 * One of the parts into which `--shards` divides objects, from when this replica takes it until it gives it. A slice that
 * is taken again is another one, so whatever is left of before tells itself apart.
 */
export interface OwnSlice {
  /** From 0. */
  readonly index: number;
  /** Aborts when this replica has to work on it no more. */
  readonly given: AbortSignal;
}
