import { editDistance } from '../../lib/edit-distance.ts';
import type { KindReference, ResourceKind } from '../kind.ts';

/**
 * Finds the kind that `reference` names. `kinds` must be in order of precedence: the core group first, then the
 * server's order of groups, each with its preferred version first. Full names take precedence over short names.
 */
export function findKind(kinds: readonly ResourceKind[], reference: KindReference): ResourceKind | undefined {
  for (const wanted of readings(reference)) {
    const candidates = kinds.filter((kind) => isWithin(kind, wanted));
    const found =
      candidates.find((kind) => hasName(kind, wanted.name)) ??
      candidates.find(({ shortNames }) => shortNames.some((short) => short.toLowerCase() === wanted.name));
    if (found !== undefined) return found;
  }
  return undefined;
}

interface Wanted {
  /** In lower case. */
  readonly name: string;
  readonly group?: string;
  readonly version?: string;
}

/**
 * The possible meanings of a reference; `deployments.apps` and `deployments.v1.apps` are read as kubectl reads them.
 */
function readings({ kind, apiVersion }: KindReference): readonly Wanted[] {
  const asked = apiVersion === undefined ? {} : splitApiVersion(apiVersion);
  const [name = '', ...qualifier] = kind.trim().toLowerCase().split('.');
  if (qualifier.length === 0) return [{ name, ...asked }];
  const [version = '', ...group] = qualifier;
  const readings = [
    { name, version, group: group.join('.') },
    { name, group: qualifier.join('.') },
  ];
  return readings
    .filter((reading) => asked.group === undefined || asked.group === reading.group)
    .map((reading) => ({ ...reading, ...asked }));
}

function splitApiVersion(apiVersion: string): { readonly group?: string; readonly version?: string } {
  if (apiVersion === '') return {};
  const [first = '', second] = apiVersion.split('/');
  return second === undefined ? { group: '', version: first } : { group: first, version: second };
}

function isWithin(kind: ResourceKind, { group, version }: Wanted): boolean {
  return (group === undefined || kind.group === group) && (version === undefined || kind.version === version);
}

function hasName({ kind, plural, singular }: ResourceKind, name: string): boolean {
  return [kind, plural, singular].some((one) => one.toLowerCase() === name);
}

const MAX_NEAR_MISSES = 3;
const MAX_LENGTH = 100;

/** Returns up to three kinds with a similar name, the most similar first. */
export function nearMisses(kinds: readonly ResourceKind[], { kind }: KindReference): readonly ResourceKind[] {
  const wanted = kind.trim().toLowerCase().split('.')[0] ?? '';
  // Comparing a long word with every kind is slow, and a long word is not a typo.
  if (wanted.length > MAX_LENGTH) return [];
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  return kinds
    .map((candidate) => ({ candidate, distance: nameDistance(candidate, wanted) }))
    .filter(({ distance }) => distance <= limit)
    .toSorted((left, right) => left.distance - right.distance)
    .slice(0, MAX_NEAR_MISSES)
    .map(({ candidate }) => candidate);
}

function nameDistance({ kind, plural, shortNames }: ResourceKind, wanted: string): number {
  const names = [kind, plural, ...shortNames].filter((name) => name.length <= MAX_LENGTH);
  return Math.min(...names.map((name) => editDistance(name.toLowerCase(), wanted)));
}
