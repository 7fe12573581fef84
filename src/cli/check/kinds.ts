import type { KindReference, ResourceKind } from '../../kube/kind.ts';
import { findKind } from '../../kube/discovery/kind-search.ts';
import { editDistance } from '../../lib/edit-distance.ts';
import { shown } from '../../lib/shown.ts';
import { isObject } from '../../lib/json-object.ts';
import { builtInKinds } from '../built-in-kinds.ts';

/** A problem of a `kind` or `apiVersion` in a config that can be found without a cluster. */
export interface KindProblem {
  readonly severity: 'error' | 'warning';
  readonly path: string;
  readonly message: string;
}

/** Problems of the kinds that a config watches; `config` is the parsed document, valid or not. */
export function kindProblems(config: unknown): readonly KindProblem[] {
  return placedKinds(config).flatMap(({ path, entry }): readonly KindProblem[] => {
    const problem = entryProblem(entry['kind'], entry['apiVersion']);
    if (problem === undefined) return [];
    const { field, ...rest } = problem;
    return [{ ...rest, path: `${path}.${field}` }];
  });
}

interface PlacedKind {
  readonly path: string;
  readonly entry: Readonly<Record<string, unknown>>;
}

function placedKinds(config: unknown): readonly PlacedKind[] {
  if (!isObject(config)) return [];
  const reconciled = elementsOf(config, 'reconcile', '');
  const parts = reconciled.flatMap(({ path, entry }) => [
    ...elementsOf(entry, 'owns', `${path}.`),
    ...elementsOf(entry, 'watches', `${path}.`),
  ]);
  return [...elementsOf(config, 'kubernetes', ''), ...reconciled, ...parts];
}

function elementsOf(object: PlacedKind['entry'], field: string, prefix: string): readonly PlacedKind[] {
  const list: unknown = object[field];
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown, index) =>
    isObject(entry) ? [{ path: `${prefix}${field}[${index}]`, entry }] : [],
  );
}

interface FieldProblem {
  readonly severity: 'error' | 'warning';
  readonly field: 'kind' | 'apiVersion';
  readonly message: string;
}

/** Checks only strings: values of other types are reported by the reader of the config. */
function entryProblem(kind: unknown, apiVersion: unknown): FieldProblem | undefined {
  if (typeof kind !== 'string' || kind.trim() === '' || kind.length > MAX_LENGTH) return undefined;
  if (apiVersion === undefined || apiVersion === '') return judge({ kind });
  return typeof apiVersion === 'string' ? judge({ kind, apiVersion }) : undefined;
}

const MAX_LENGTH = 253;

function judge(reference: KindReference): FieldProblem | undefined {
  const found = findKind(builtInKinds(), reference);
  if (found !== undefined) return watchProblem(found);
  const place = placeOf(reference);
  // A group without built-in kinds is one of custom resources, which only the cluster knows.
  if (place !== undefined && !builtInKinds().some(({ group }) => group === place.group)) return undefined;
  const same = findKind(builtInKinds(), { kind: nameOf(reference) });
  if (same !== undefined && place !== undefined) return wrongPlace(same, place);
  return unknownName(reference, place);
}

/** A kind without list and watch, such as a review, can never trigger a hook. */
function watchProblem({ kind, apiVersion, verbs }: ResourceKind): FieldProblem | undefined {
  const missing = ['list', 'watch'].filter((verb) => !verbs.includes(verb));
  if (missing.length === 0) return undefined;
  const message = `${apiVersion} ${kind} has no ${missing.join(' and no ')}, so that a hook cannot bind to it`;
  return { severity: 'error', field: 'kind', message };
}

interface Place {
  readonly group: string;
  /** Absent where the kind is written as `deployments.apps`. */
  readonly version?: string;
}

/** The group and version in the config; `undefined` when it names neither. */
function placeOf({ kind, apiVersion }: KindReference): Place | undefined {
  if (apiVersion !== undefined) {
    const [first = '', second] = apiVersion.split('/');
    return second === undefined ? { group: '', version: first } : { group: first, version: second };
  }
  const [, ...qualifier] = kind.trim().toLowerCase().split('.');
  if (qualifier.length === 0) return undefined;
  const [version = '', ...group] = qualifier;
  return /^v\d/.test(version) && group.length > 0
    ? { group: group.join('.'), version }
    : { group: qualifier.join('.') };
}

/**
 * The kind exists, but in another group or version. For an alpha or beta version that is only a warning, since clusters
 * of other Kubernetes versions may serve it.
 */
function wrongPlace({ kind, group, apiVersion }: ResourceKind, place: Place): FieldProblem {
  const isMaybe = place.group === group && isUnstable(place);
  const where = apiVersionOf(place);
  return {
    severity: isMaybe ? 'warning' : 'error',
    field: 'apiVersion',
    message: `${where} has no ${kind}${isMaybe ? ' in the current Kubernetes version' : ''}, did you mean ${apiVersion}?`,
  };
}

/**
 * No kind has the name. Without a similar one that is only a warning, since a newer Kubernetes version may add the
 * kind.
 */
function unknownName(reference: KindReference, place: Place | undefined): FieldProblem | undefined {
  const meant = nearMiss(nameOf(reference), place);
  const got = shown(reference.kind);
  if (place !== undefined && isUnstable(place)) return undefined;
  if (meant !== undefined) {
    if (place !== undefined) {
      const where = meant.group === place.group ? '' : ` of ${meant.apiVersion}`;
      const message = `got ${got}, which ${apiVersionOf(place)} does not have, did you mean ${meant.kind}${where}?`;
      return { severity: 'error', field: 'kind', message };
    }
    const message = `got ${got}, did you mean ${meant.kind}? If it is a custom resource, give its apiVersion`;
    return { severity: 'warning', field: 'kind', message };
  }
  if (place === undefined) return undefined;
  return {
    severity: 'warning',
    field: 'kind',
    message: `got ${got}, which ${apiVersionOf(place)} is not known to have`,
  };
}

const MAX_SLIPS = 2;

/**
 * The kind with the most similar name, preferably of the same group; the shorter the name, the fewer typos are allowed.
 */
function nearMiss(name: string, place: Place | undefined): ResourceKind | undefined {
  const limit = Math.min(MAX_SLIPS, Math.max(1, Math.floor(name.length / 3)));
  const near = builtInKinds()
    .map((kind) => ({ kind, distance: distanceOf(kind, name) }))
    .filter(({ distance }) => distance <= limit)
    .toSorted((a, b) => a.distance - b.distance);
  return (near.find(({ kind }) => kind.group === place?.group) ?? near[0])?.kind;
}

function distanceOf({ kind, plural }: ResourceKind, name: string): number {
  return Math.min(...[kind.toLowerCase(), plural].map((one) => editDistance(one, name)));
}

function nameOf({ kind }: KindReference): string {
  return kind.trim().toLowerCase().split('.')[0] ?? '';
}

function isUnstable({ version = '' }: Place): boolean {
  return !/^(?:v\d+)?$/.test(version);
}

function apiVersionOf({ group, version }: Place): string {
  return [group, version].filter(Boolean).join('/');
}
