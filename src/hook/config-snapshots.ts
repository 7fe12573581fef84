import { shownName } from '../lib/shown.ts';
import { inside, report, reportValue, type Place } from './config-reader.ts';
import { nearest } from './nearest.ts';

/** The fields of a binding that determine its snapshots: its own list and its group. */
export interface SnapshotWish {
  readonly includeSnapshotsFrom?: readonly string[] | undefined;
  readonly group?: string | undefined;
}

/** A kubernetes binding whose snapshots other bindings can include. */
export interface SnapshotSource {
  readonly name: string;
  readonly group?: string | undefined;
}

/** Reports each name in `includeSnapshotsFrom` that is not the name of exactly one kubernetes binding. */
export function checkSnapshots(wish: SnapshotWish, sources: readonly SnapshotSource[], place: Place): void {
  const names = sources.map(({ name }) => name);
  const known = Map.groupBy(names, (name) => name);
  for (const [index, wanted] of (wish.includeSnapshotsFrom ?? []).entries()) {
    const element = inside(inside(place, 'includeSnapshotsFrom'), index);
    const count = known.get(wanted)?.length ?? 0;
    const phrase = place.path.startsWith('kubernetes[') ? 'includeSnapshots' : 'includeSnapshotsFrom is invalid:';
    const quoted = `'${shownName(wanted)}'`;
    if (count === 0) {
      reportValue(element, wanted, expectedName(wanted, names), `${phrase} ${quoted} binding name not found`);
    }
    if (count > 1)
      report(
        element,
        `there are ${count} kubernetes bindings called ${quoted}, give each its own name`,
        `${phrase} there are ${count} ${quoted} binding names`,
      );
  }
}

/**
 * The effective list: the names of the binding's own list, then those of the kubernetes bindings of its group, without
 * duplicates.
 */
export function effectiveSnapshots(wish: SnapshotWish, sources: readonly SnapshotSource[]): readonly string[] {
  const members = wish.group === undefined ? [] : sources.filter(({ group }) => group === wish.group);
  return [...new Set([...(wish.includeSnapshotsFrom ?? []), ...members.map(({ name }) => name)])];
}

const MAX_NAMES = 10;

function expectedName(wanted: string, names: readonly string[]): string {
  if (names.length === 0) return 'the name of a kubernetes binding, but this hook has none';
  const meant = nearest(wanted, names);
  const hint = meant === undefined ? '' : `; did you mean ${shownName(meant)}?`;
  const shownNames = [...new Set(names)].slice(0, MAX_NAMES).map((name) => shownName(name));
  return `the name of a kubernetes binding of this hook (${shownNames.join(', ')})${hint}`;
}
