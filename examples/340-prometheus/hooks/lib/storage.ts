import type { KubernetesObject } from 'hooklet';
import { bytesOf } from './quantity.ts';
import { GROUP, type Claim, type ClaimSummary, type Prometheus } from './resources.ts';

/** What becomes of the volumes of a Prometheus, one step a run. */
export type StorageStep =
  /** The StatefulSet is as it should be with `claim`; a `refused` wish changes nothing. */
  | { readonly step: 'keep'; readonly claim: Claim | undefined; readonly refused?: string }
  /**
   * All other changes are written to the StatefulSet that is there, with its old `claim`. The StatefulSet is deleted only
   * after the API server has accepted them, since it could refuse them when the StatefulSet is made again.
   */
  | { readonly step: 'try'; readonly claim: Claim }
  /** These claims are made larger first. */
  | { readonly step: 'grow'; readonly claim: Claim; readonly claims: readonly string[]; readonly size: string }
  /**
   * All claims are large enough, but the template of the StatefulSet still has the old size, and Kubernetes lets nobody
   * change it. So this StatefulSet is deleted without its Pods, and made again with the new size.
   */
  | { readonly step: 'release'; readonly uid: string }
  /** The old StatefulSet is about to be gone. */
  | { readonly step: 'wait' };

/** On a StatefulSet: the mark of all that is in it but the claims. */
export const SHAPE_ANNOTATION = `${GROUP}/shape`;

/**
 * Compares the volumes that are wanted with those that are there. `shape` is the mark of what the StatefulSet is to be: it
 * is deleted only when the API server has taken all of that, so that it can be made anew.
 */
export function storageStep({ spec }: Pick<Prometheus, 'spec'>, { live, claims, shape }: Stored): StorageStep {
  const wanted = spec.storage?.volumeClaimTemplate.spec;
  // Claims that outlived an earlier Prometheus may be smaller than this one asks for.
  if (live === undefined) return grown(wanted, wanted, claims) ?? { step: 'keep', claim: wanted };
  const { uid, deletionTimestamp } = live.metadata;
  if (deletionTimestamp !== undefined) return { step: 'wait' };
  const current = claimOf(live);
  const refused = refusalOf(wanted, current);
  if (refused !== undefined) return { step: 'keep', claim: current, refused };
  return wanted === undefined || current === undefined
    ? { step: 'keep', claim: current }
    : growthStep({ wanted, current, claims, uid, isTaken: shapeOf(live) === shape });
}

interface Stored {
  readonly live: KubernetesObject | undefined;
  readonly claims: readonly ClaimSummary[];
  readonly shape: string;
}

interface Growth {
  readonly wanted: Claim;
  readonly current: Claim;
  readonly claims: readonly ClaimSummary[];
  readonly uid: string;
  readonly isTaken: boolean;
}

function growthStep({ wanted, current, claims, uid, isTaken }: Growth): StorageStep {
  const growing = grown(wanted, current, claims);
  if (growing !== undefined) return growing;
  const isLarge = compare(wanted.resources.requests.storage, current.resources.requests.storage) === 0;
  if (isLarge) return { step: 'keep', claim: current };
  return isTaken ? { step: 'release', uid } : { step: 'try', claim: current };
}

/** The step that makes claims larger; undefined where all are large enough. */
function grown(
  wanted: Claim | undefined,
  claim: Claim | undefined,
  claims: readonly ClaimSummary[],
): StorageStep | undefined {
  if (wanted === undefined || claim === undefined) return undefined;
  const size = wanted.resources.requests.storage;
  const small = claims.filter(({ request }) => compare(size, request) > 0).map(({ name }) => name);
  return small.length > 0 ? { step: 'grow', claim, claims: small, size } : undefined;
}

/** Why volumes cannot become others. */
export function refusalOf(wanted: Claim | undefined, current: Claim | undefined): string | undefined {
  if (wanted === undefined && current === undefined) return undefined;
  if (wanted === undefined) {
    return 'spec.storage: it cannot be removed, since the data would be lost: put it back, or make another Prometheus';
  }
  if (current === undefined) {
    return 'spec.storage: it cannot be given to a Prometheus that was made without, since its data would be lost: remove it, or make another Prometheus';
  }
  const [size, was] = [wanted.resources.requests.storage, current.resources.requests.storage];
  if (compare(size, was) < 0) {
    return `spec.storage: got ${size}, and the volumes have ${was}: no volume can shrink, so ask for ${was} or more`;
  }
  if (wanted.storageClassName !== undefined && wanted.storageClassName !== current.storageClassName) {
    const old = current.storageClassName ?? 'the default one';
    return `spec.storage: got the class ${wanted.storageClassName}, and the volumes have ${old}, which nobody can change: put it back, or make another Prometheus`;
  }
  return undefined;
}

function compare(a: string, b: string): number {
  return (bytesOf(a) ?? 0) - (bytesOf(b) ?? 0);
}

/** The claim in the template of a StatefulSet, without what the API server added. */
function claimOf(set: KubernetesObject): Claim | undefined {
  const { spec } = readSet(set);
  const [template] = spec?.volumeClaimTemplates ?? [];
  const { resources, storageClassName } = template?.spec ?? {};
  const storage = resources?.requests?.storage;
  if (storage === undefined) return undefined;
  return { resources: { requests: { storage } }, ...(storageClassName !== undefined && { storageClassName }) };
}

function shapeOf(set: KubernetesObject): string | undefined {
  return set.metadata.annotations?.[SHAPE_ANNOTATION];
}

interface LiveSet {
  readonly spec?: {
    readonly volumeClaimTemplates?: readonly {
      readonly spec?: {
        readonly storageClassName?: string;
        readonly resources?: { readonly requests?: { readonly storage?: string } };
      };
    }[];
  };
}

function readSet(set: KubernetesObject & LiveSet): LiveSet {
  return set;
}
