import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '@hooklet/sandbox';
import { builtInKinds } from '@hooklet/sandbox/kinds';
import { inside, report } from '../../hook/config-reader.ts';
import { nearest } from '../../hook/nearest.ts';
import { shown } from '../../lib/shown.ts';
import type { Action, ObjectName } from '../world.ts';
import type { KindUse } from './context.ts';

/** The kinds that a story knows to be served: those of every cluster, and those of its CustomResourceDefinitions. */
export interface KnownKinds {
  /** Whether objects of the kind have a namespace; absent for a kind that is not known. */
  readonly isNamespaced: ReadonlyMap<string, boolean>;
  /** Groups of which all kinds are known. */
  readonly groups: ReadonlySet<string>;
}

/** The kinds of every cluster and those of the given CustomResourceDefinitions. */
export function knownKinds(definitions: readonly JsonObject[]): KnownKinds {
  const isNamespaced = new Map<string, boolean>();
  for (const { group, version, kind, namespaced } of builtInKinds()) {
    isNamespaced.set(keyOf(group === '' ? version : `${group}/${version}`, kind), namespaced);
  }
  for (const { spec } of definitions) {
    if (isJsonObject(spec)) for (const [key, namespaced] of kindsOf(spec)) isNamespaced.set(key, namespaced);
  }
  const groups = new Set([...isNamespaced.keys()].map((key) => groupOf(key)));
  return { isNamespaced, groups };
}

function kindsOf(spec: JsonObject): readonly (readonly [string, boolean])[] {
  const { group, scope, names, versions } = spec;
  const kind = isJsonObject(names) ? names['kind'] : undefined;
  const all = isJsonArray(versions) ? versions.filter(isJsonObject) : [];
  return all
    .filter((version) => version['served'] !== false)
    .map(({ name }) => [keyOf(`${textOf(group)}/${textOf(name)}`, textOf(kind)), scope !== 'Cluster']);
}

/**
 * Reports each kind that nobody can serve. A group of which the story has no definition is let pass, since a hook may
 * bring it.
 */
export function checkKinds(uses: readonly KindUse[], { isNamespaced, groups }: KnownKinds): void {
  for (const { place, apiVersion, kind } of uses) {
    const key = keyOf(apiVersion, kind);
    if (isNamespaced.has(key) || !groups.has(groupOf(key))) continue;
    const known = [...isNamespaced.keys()];
    const sameKind = known.find((one) => one.endsWith(` ${kind}`));
    const inGroup = known.filter((one) => one.startsWith(`${apiVersion} `)).map((one) => one.split(' ')[1] ?? '');
    const meant = nearest(kind, inGroup) ?? sameKind;
    const hint = meant === undefined ? 'add its CustomResourceDefinition to given.crds' : `did you mean ${meant}?`;
    report(inside(place, 'kind'), `nobody serves ${shown(kind)} of ${shown(apiVersion)}; ${hint}`);
  }
}

/** The action with the namespace `default` in the name of an object that needs one and has none. */
export function withNamespace(action: Action, kinds: KnownKinds): Action {
  if (!('object' in action) || action.object === undefined || !isName(action)) return action;
  const { object } = action;
  const needsOne = kinds.isNamespaced.get(keyOf(object.apiVersion, object.kind)) !== false;
  return object.namespace === '' && needsOne ? { ...action, object: { ...object, namespace: 'default' } } : action;
}

function isName(action: Action): action is Extract<Action, { readonly object?: ObjectName }> & { object: ObjectName } {
  return action.type === 'patch' || action.type === 'delete' || action.type === 'trigger';
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function keyOf(apiVersion: string, kind: string): string {
  return `${apiVersion} ${kind}`;
}

function groupOf(key: string): string {
  const [apiVersion = ''] = key.split(' ');
  return apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
}
