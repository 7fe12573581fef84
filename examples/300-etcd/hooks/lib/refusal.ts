import type { Observed, Wanted } from './observed.ts';
import { bytesOf } from './quantity.ts';
import { specProblem } from './spec-problem.ts';
import { refuse, type Step } from './step.ts';
import { tlsChange } from './tls/tls-problem.ts';
import { versionProblem } from './version-problem.ts';

/** Why nothing at all is done for this spec; undefined where it can be done. */
export function refusal(observed: Observed, { spec }: Wanted): Step | undefined {
  const problem = specProblem(spec);
  if (problem !== undefined) return refuse('InvalidSpec', problem);
  const versions = observed.parts.flatMap(({ set }) => (set === undefined ? [] : [set.version]));
  const version = versionProblem(versions, spec.version);
  if (version !== undefined) return refuse('UnsupportedUpgrade', version);
  const tls = observed.parts.some(({ set }) => set !== undefined)
    ? tlsChange(spec, observed.tls !== undefined)
    : undefined;
  if (tls !== undefined) return refuse('TlsCannotChange', tls);
  const storage = storageProblem(observed, spec.storage);
  return storage === undefined ? undefined : refuse('StorageCannotChange', storage);
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
