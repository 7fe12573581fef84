import type { ClusterSpec } from './cluster.ts';

/** The first patch of 3.5 whose etcdutl knows `--bump-revision`; all of 3.6 do. */
const LEAST_PATCH = 10;

/**
 * Why a cluster of this version cannot begin with a snapshot in a volume, which is restored by the etcdutl of that
 * version. What is in a bucket is restored by that of the engine.
 */
export function restoreVersionProblem({
  version,
  restore,
}: Pick<ClusterSpec, 'version' | 'restore'>): string | undefined {
  if (restore?.claimName === undefined) return undefined;
  const [, patch] = /^3\.5\.(\d+)$/.exec(version) ?? [];
  if (patch === undefined || Number(patch) >= LEAST_PATCH) return undefined;
  return `spec.version is "${version}", whose etcdutl does not know --bump-revision, without which watches would see the revision go back: ask for 3.5.${LEAST_PATCH} or newer`;
}
