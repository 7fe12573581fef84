import type { KubernetesObject } from 'hooklet';
import type { EtcdCluster } from '../cluster.ts';
import type { Served } from '../etcd-port.ts';
import { givenIn, type Given } from './given.ts';
import { heldIn, type HeldSecrets } from './held.ts';

/** All that a run knows of the certificates of a cluster. */
export interface TlsView {
  readonly held: HeldSecrets;
  /** Where the certificates come from Secrets of the user. */
  readonly given: Given | undefined;
  /** The fingerprint of what a member shows, by client URL; of those that answer. */
  readonly served: ReadonlyMap<string, string>;
  /** By how much the clocks of members are ahead of that of the operator; 0 where none tells. */
  readonly aheadMs: number;
}

export interface TlsSources {
  readonly secrets: readonly KubernetesObject[];
  readonly given: readonly KubernetesObject[];
  readonly served: readonly Served[];
  readonly nowMs: number;
}

export function tlsView({ metadata, spec }: EtcdCluster, { secrets, given, served, nowMs }: TlsSources): TlsView {
  const clocks = served.flatMap(({ clockMs }) => (clockMs === undefined ? [] : [clockMs - nowMs]));
  const byDistance = clocks.toSorted((a, b) => Math.abs(a) - Math.abs(b));
  return {
    held: heldIn(metadata.name, secrets),
    given: spec.tls?.secrets && givenIn(spec.tls.secrets, given, nowMs),
    served: new Map(served.map(({ endpoint, fingerprint }) => [endpoint, fingerprint])),
    // The clock that agrees best: one member may be wrong by itself.
    aheadMs: byDistance[0] ?? 0,
  };
}
