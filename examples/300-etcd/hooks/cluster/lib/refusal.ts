import type { Observed, Wanted } from './observed.ts';
import { bytesOf } from './quantity.ts';
import { specProblem } from './spec-problem.ts';
import { refuse, type Step } from './step.ts';

/** Why nothing at all is done for this spec; undefined where it can be done. */
export function refusal(observed: Observed, { spec }: Wanted): Step | undefined {
  const problem = specProblem(spec);
  if (problem !== undefined) return refuse('InvalidSpec', problem);
  const version = versionProblem(observed, spec.version);
  if (version !== undefined) return refuse('UnsupportedUpgrade', version);
  const storage = storageProblem(observed, spec.storage);
  return storage === undefined ? undefined : refuse('StorageCannotChange', storage);
}

/** etcd can be upgraded by a patch or one minor, and be taken back only while not all members have the new minor. */
function versionProblem({ parts }: Observed, to: string): string | undefined {
  const versions = parts.flatMap(({ set }) => (set === undefined ? [] : [set.version]));
  const [lowest] = versions.toSorted((a, b) => minorOf(a) - minorOf(b));
  if (lowest === undefined) return undefined;
  const [from, wanted] = [minorOf(lowest), minorOf(to)];
  if (wanted > from + 1) {
    return `spec.version is ${to}, but members have ${lowest}: etcd is upgraded one minor at a time, so ask for 3.${from + 1} first`;
  }
  if (wanted < from) {
    return `spec.version is ${to}, but all members have ${lowest}, and etcd does not go back a minor: ask for a version 3.${from}, or restore a backup into a new cluster`;
  }
  return undefined;
}

function minorOf(version: string): number {
  return Number(version.split('.')[1]);
}

function storageProblem(
  { parts }: Observed,
  { size, storageClassName }: Wanted['spec']['storage'],
): string | undefined {
  const claims = parts.flatMap(({ claim }) => (claim === undefined ? [] : [claim]));
  const larger = claims.find((claim) => (bytesOf(claim.size) ?? 0) > (bytesOf(size) ?? 0));
  if (larger !== undefined) {
    return `spec.storage.size is ${size}, but there are volumes of ${larger.size}, and volumes cannot shrink: ask for at least ${larger.size}`;
  }
  const other = claims.find((claim) => storageClassName !== undefined && claim.storageClassName !== storageClassName);
  if (other === undefined) return undefined;
  return `spec.storage.storageClassName is ${storageClassName}, but there are volumes of ${other.storageClassName ?? 'the default class'}, which cannot change: set it back, or restore a backup into a new cluster`;
}
