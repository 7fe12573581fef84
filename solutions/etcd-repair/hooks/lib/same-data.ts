import { isGiven, silentVoters, type Comparison, type Voters } from './hashes.ts';
import { majority } from './quorum.ts';

export interface DataQuestion {
  readonly comparison: Comparison;
  /** All that were compared, with what they answered before. */
  readonly facts: Voters['facts'];
  /** How many voters the cluster has. */
  readonly voters: number;
  /** The Pod whose member may be given up, so that what it holds decides nothing. */
  readonly leaving?: string;
  /** The Pod that the alarm CORRUPT is about: it may go only if it differs from a majority of all voters. */
  readonly accused?: string;
}

/**
 * What hashes say: all that stay hold the same; some differ; too few gave a hash, or not at one compaction; or the
 * accused one holds what all others hold.
 */
export type DataVerdict = 'same' | 'different' | 'unknown' | 'unfounded';

/** Whether the members that stay hold the same data, so that none of them could replace right data by wrong. */
export function judgeData({ comparison, facts, voters, leaving, accused }: DataQuestion): DataVerdict {
  const others = comparison.voters.filter(({ pod }) => pod !== leaving);
  const given = others.filter(isGiven);
  const compactions = comparison.voters.filter(isGiven).map(({ compactRevision }) => compactRevision);
  const isOneCompaction = new Set(compactions).size <= 1;
  const isSilent = silentVoters({ voters: others }, facts).length > 0;
  if (isSilent || !isOneCompaction || given.length < majority(voters)) return 'unknown';
  if (new Set(given.map(({ hash }) => hash)).size !== 1) return 'different';
  return isAccusationFounded(comparison, accused) ? 'same' : 'unfounded';
}

function isAccusationFounded({ voters }: Comparison, accused: string | undefined): boolean {
  const found = voters.find(({ pod }) => pod === accused);
  if (found === undefined || !isGiven(found)) return true;
  return voters.some((other) => isGiven(other) && other.hash !== found.hash);
}
