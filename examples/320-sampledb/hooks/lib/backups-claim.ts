import { NAME_LABEL, PART_LABEL } from './pod.ts';
import type { Sizes } from './space.ts';

/** A claim with the name of a volume of backups; the jq program below makes it. */
export interface BackupsClaim extends Sizes {
  readonly uid: string;
  /** Whether its labels say that it is of the SampleDB of its name. */
  readonly isOurs: boolean;
}

/** Whether there is a volume of backups: none yet, ours, or that of somebody else. */
export type Backups = 'absent' | 'ours' | 'taken';

/** From a claim to the SampleDB whose backups it would have by its name. */
export const BACKUPS_FOR = '.metadata.name | if endswith("-backups") then .[:-8] else null end';

/** From a claim to what counts of it. */
export const BACKUPS_FILTER = `
  (.metadata.labels // {}) as $labels |
  .spec.resources.requests.storage as $request |
  {
    uid: .metadata.uid,
    isOurs: ($labels["${PART_LABEL}"] == "backups" and "\\($labels["${NAME_LABEL}"])-backups" == .metadata.name),
    request: ($request // "0"),
    capacity: (if .status.phase == "Bound" then .status.capacity.storage // $request else null end)
  }`;

/** Whose the volume of backups is. */
export function backupsIn(claims: readonly BackupsClaim[]): Backups {
  const [claim] = claims;
  if (claim === undefined) return 'absent';
  return claim.isOurs ? 'ours' : 'taken';
}

/** What is wrong with a volume of backups that is somebody else's, and what to do. */
export function takenBackups(name: string): string {
  const labels = `${NAME_LABEL}=${name} ${PART_LABEL}=backups`;
  return `the claim ${name}-backups is not of this SampleDB, so no backup is taken: delete it, or, if backups may be written to it, kubectl label persistentvolumeclaim ${name}-backups ${labels}`;
}
