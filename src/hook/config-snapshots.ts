import { shownName } from '../lib/shown.ts';
import { inside, report, reportValue, type Place } from './config-reader.ts';
import { nearest } from './nearest.ts';

/** What decides on the snapshots of a binding: its own list and its group. */
export interface SnapshotWish {
  readonly includeSnapshotsFrom?: readonly string[] | undefined;
  readonly group?: string | undefined;
}

/** A kubernetes binding as others refer to it. */
export interface SnapshotSource {
  readonly name: string;
  readonly group?: string | undefined;
}

/** Each name of the list must be that of exactly one kubernetes binding. */
export function checkSnapshots(wish: SnapshotWish, sources: readonly SnapshotSource[], place: Place): void {
  const names = sources.map(({ name }) => name);
  const known = Map.groupBy(names, (name) => name);
  for (const [index, wanted] of (wish.includeSnapshotsFrom ?? []).entries()) {
    const element = inside(inside(place, 'includeSnapshotsFrom'), index);
    const count = known.get(wanted)?.length ?? 0;
    if (count === 0) reportValue(element, wanted, expectedName(wanted, names));
    if (count > 1)
      report(element, `there are ${count} kubernetes bindings called '${shownName(wanted)}', give each its own name`);
  }
}

/** The effective list: the binding's own, then the members of its group, each name once. */
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
