import type { Target } from './api-request.ts';
import type { Kinds } from './kinds.ts';
import { apiVersionOf, type ServedKind } from './kind.ts';
import { isTrue } from './list-options.ts';
import { pathSegmentProblems } from './object-names.ts';
import { badRequest, methodNotAllowed, noSuchResource, notFound, StatusError } from './status-error.ts';

/** The destination of a request. */
export type Route =
  | { readonly type: 'resource'; readonly target: Target; readonly verb: string }
  | { readonly type: 'groupVersion'; readonly group: string; readonly version: string }
  | { readonly type: 'group'; readonly group: string }
  | { readonly type: 'root'; readonly root: 'api' | 'apis' }
  | { readonly type: 'other' };

/** Finds the destination of a request; throws 404 or 405 below a served group. */
export function findRoute(kinds: Kinds, method: string, path: string, query: URLSearchParams): Route {
  // The whole path is decoded first, as in the API server: an escaped slash also separates segments.
  const steps = decoded(path).replace(/^\//, '').replace(/\/$/, '').split('/');
  const root = steps[0];
  if (root === 'api') return coreRoute(kinds, steps.slice(1), { method, query });
  if (root === 'apis') return groupRoute(kinds, steps.slice(1), { method, query });
  return { type: 'other' };
}

interface Asked {
  readonly method: string;
  readonly query: URLSearchParams;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
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
  if (place.tooDeep) throw noSuchResource();
  const target = { kind, namespace: place.namespace, name: place.name, subresource: place.subresource };
  const verb = verbOf(method, target, watching || isTrue(query.get('watch')));
  if (kind.custom !== undefined && isOutOfScope(target, verb)) return { type: 'other' };
  checkVerb(target, verb);
  checkNames(target);
  return { type: 'resource', target, verb };
}

interface Place {
  readonly namespace: string;
  readonly plural: string;
  readonly name: string;
  readonly subresource: string;
  readonly tooDeep: boolean;
}

const NAMESPACE_SUBRESOURCES: readonly (string | undefined)[] = ['status', 'finalize'];

function placeOf(steps: readonly string[]): Place {
  const inNamespace = steps[0] === 'namespaces' && steps.length > 2 && !NAMESPACE_SUBRESOURCES.includes(steps[2]);
  const [namespace = '', ...rest] = inNamespace ? steps.slice(1) : ['', ...steps];
  const [plural = '', name = '', subresource = '', ...more] = rest;
  return { namespace, plural, name, subresource, tooDeep: more.length > 0 };
}

const COLLECTION_VERBS: { readonly [method: string]: string } = {
  GET: 'list',
  POST: 'create',
  DELETE: 'deletecollection',
};

const OBJECT_VERBS: { readonly [method: string]: string } = {
  GET: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

function verbOf(method: string, { name, subresource }: Target, watch: boolean): string {
  if (subresource !== '' && method === 'POST') return 'create';
  const verb = (name === '' ? COLLECTION_VERBS : OBJECT_VERBS)[method];
  if (verb === undefined) throw methodNotAllowed();
  return verb === 'list' && watch ? 'watch' : verb;
}

function isOutOfScope({ kind, namespace }: Target, verb: string): boolean {
  if (!kind.namespaced) return namespace !== '';
  return namespace === '' && verb !== 'list' && verb !== 'watch';
}

function checkVerb(target: Target, verb: string): void {
  const { kind, namespace, name, subresource } = target;
  if (kind.namespaced ? namespace === '' && name !== '' : namespace !== '') throw noSuchResource();
  const verbs = subresource === '' ? kind.verbs : subresourceVerbs(target);
  if (!verbs.includes(verb)) throw methodNotAllowed();
  if (isOutOfScope(target, verb)) throw methodNotAllowed();
}

function subresourceVerbs({ kind, name, subresource }: Target): readonly string[] {
  const found = kind.subresources.find((candidate) => candidate.name === subresource);
  if (found === undefined) throw kind.custom === undefined ? noSuchResource() : notFound(kind, name);
  return found.verbs;
}

/** Throws the API server's refusal of names that would change the path. */
function checkNames({ kind, namespace, name }: Target): void {
  if (namespace === '.' || namespace === '..') {
    throw new StatusError({ code: 500, message: `invalid key: "/${kind.plural}/${namespace}"` });
  }
  const [problem] = pathSegmentProblems(name);
  if (problem !== undefined) throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${problem}`);
}

/** The path of a collection or, with a name, of an object. */
export function resourcePath(kind: ServedKind, namespace: string, name = ''): string {
  const root = kind.group === '' ? '/api' : '/apis';
  const scope = kind.namespaced && namespace !== '' ? `/namespaces/${namespace}` : '';
  const object = name === '' ? '' : `/${encodeURIComponent(name)}`;
  return `${root}/${apiVersionOf(kind)}${scope}/${kind.plural}${object}`;
}
