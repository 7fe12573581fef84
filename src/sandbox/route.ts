import type { Target } from './api-request.ts';
import type { Kinds } from './kinds.ts';
import { apiVersionOf, type ServedKind } from './kind.ts';
import { isTrue } from './list-options.ts';
import { methodNotAllowed, noSuchResource } from './status-error.ts';

/** Where a path leads. */
export type Route =
  | { readonly type: 'resource'; readonly target: Target; readonly verb: string }
  | { readonly type: 'groupVersion'; readonly group: string; readonly version: string }
  | { readonly type: 'group'; readonly group: string }
  | { readonly type: 'root'; readonly root: 'api' | 'apis' }
  | { readonly type: 'other' };

/** Finds where a request leads; throws 404 or 405 below a served group. */
export function findRoute(kinds: Kinds, method: string, path: string, query: URLSearchParams): Route {
  const steps = path
    .split('/')
    .filter((step) => step !== '')
    .map(decoded);
  const root = steps[0];
  if (root === 'api') return coreRoute(kinds, steps.slice(1), { method, query });
  if (root === 'apis') return groupRoute(kinds, steps.slice(1), { method, query });
  return { type: 'other' };
}

interface Asked {
  readonly method: string;
  readonly query: URLSearchParams;
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

function coreRoute(kinds: Kinds, steps: readonly string[], asked: Asked): Route {
  const [version, ...rest] = steps;
  if (version === undefined) return { type: 'root', root: 'api' };
  if (version !== 'v1') throw noSuchResource();
  if (rest.length === 0) return { type: 'groupVersion', group: '', version };
  return resourceRoute(kinds, { group: '', version }, rest, asked);
}

function groupRoute(kinds: Kinds, steps: readonly string[], asked: Asked): Route {
  const [group, version, ...rest] = steps;
  if (group === undefined) return { type: 'root', root: 'apis' };
  const served = kinds.all().filter((kind) => kind.group === group);
  if (served.length === 0) return { type: 'other' };
  if (version === undefined) return { type: 'group', group };
  if (rest.length === 0) {
    if (served.some((kind) => kind.version === version)) return { type: 'groupVersion', group, version };
    return missing(kinds, group);
  }
  return resourceRoute(kinds, { group, version }, rest, asked);
}

function missing(kinds: Kinds, group: string): Route {
  if (kinds.isBuiltInGroup(group)) throw noSuchResource();
  return { type: 'other' };
}

function resourceRoute(
  kinds: Kinds,
  groupVersion: { readonly group: string; readonly version: string },
  steps: readonly string[],
  { method, query }: Asked,
): Route {
  const watching = steps[0] === 'watch' && steps.length > 1;
  const place = placeOf(watching ? steps.slice(1) : steps);
  const kind = kinds.find(groupVersion.group, groupVersion.version, place.plural);
  if (kind === undefined) return missing(kinds, groupVersion.group);
  if (place.tooDeep || (place.namespace !== '' && !kind.namespaced)) throw noSuchResource();
  const target = { kind, namespace: place.namespace, name: place.name, subresource: place.subresource };
  const verb = verbOf(method, target, watching || isTrue(query.get('watch')));
  checkVerb(target, verb);
  return { type: 'resource', target, verb };
}

interface Place {
  readonly namespace: string;
  readonly plural: string;
  readonly name: string;
  readonly subresource: string;
  readonly tooDeep: boolean;
}

function placeOf(steps: readonly string[]): Place {
  const [first = '', second = '', third] = steps;
  const isOfNamespace = first === 'namespaces' && ['status', 'finalize'].includes(third ?? '');
  if (first === 'namespaces' && third !== undefined && !isOfNamespace) {
    const [name = '', subresource = '', ...more] = steps.slice(3);
    return { namespace: second, plural: third, name, subresource, tooDeep: more.length > 0 };
  }
  return { namespace: '', plural: first, name: second, subresource: third ?? '', tooDeep: steps.length > 3 };
}

function verbOf(method: string, target: Target, watch: boolean): string {
  const named = target.name !== '';
  switch (method) {
    case 'GET':
    case 'HEAD':
      return named ? 'get' : watch ? 'watch' : 'list';
    case 'POST':
      if (named && target.subresource === '') throw methodNotAllowed();
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return named ? 'delete' : 'deletecollection';
    default:
      throw methodNotAllowed();
  }
}

function checkVerb({ kind, namespace, name, subresource }: Target, verb: string): void {
  if (subresource !== '') {
    const found = kind.subresources.find((candidate) => candidate.name === subresource);
    if (found === undefined) throw noSuchResource();
    if (!found.verbs.includes(verb)) throw methodNotAllowed();
    return;
  }
  if (!kind.verbs.includes(verb)) throw methodNotAllowed();
  const reads = verb === 'list' || verb === 'watch';
  if (name === '' && ['update', 'patch'].includes(verb)) throw methodNotAllowed();
  if (kind.namespaced && namespace === '' && !reads) throw methodNotAllowed();
}

/** The path of a collection or, with a name, of an object. */
export function resourcePath(kind: ServedKind, namespace: string, name = ''): string {
  const root = kind.group === '' ? '/api' : '/apis';
  const scope = kind.namespaced && namespace !== '' ? `/namespaces/${namespace}` : '';
  return `${root}/${apiVersionOf(kind)}${scope}/${kind.plural}${name === '' ? '' : `/${encodeURIComponent(name)}`}`;
}
