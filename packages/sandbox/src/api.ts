import { json, type ApiRequest, type Reply, type Target } from './api-request.ts';
import type { AccessAttributes, Cluster } from './cluster.ts';
import { deleteCollection, deleteObject } from './delete.ts';
import { aggregatedDiscovery, coreVersions, groupDocument, groupList, resourceList } from './discovery.ts';
import { apiVersionOf, groupResource } from './kind.ts';
import { parseListOptions } from './list-options.ts';
import { patchObject, postObject, putObject } from './modify.ts';
import { answerOpenApi } from './open-api/answer.ts';
import { PatchRefused } from './patch/apply-patch.ts';
import { inJson } from './protobuf/envelope.ts';
import { getObject, listObjects } from './read.ts';
import { acceptedRepresentation, inYaml, represented, type Representation } from './representation.ts';
import { Suspended } from './request-scope.ts';
import { answerReview, isReview } from './reviews.ts';
import { findRoute, type Route } from './route.ts';
import { methodNotAllowed, noSuchResource, StatusError } from './status-error.ts';
import { answerSubresource } from './subresources.ts';
import type { Watches } from './watch.ts';
import type { WriteObserver } from './observed-writes.ts';

/** Everything that is needed to answer requests. */
export interface Api {
  readonly cluster: Cluster;
  readonly watches: Watches;
  /** Host and port of the server, for discovery documents. */
  readonly serverAddress: () => string;
  /** Is told of each write; absent: nobody is. */
  readonly observer?: WriteObserver | undefined;
}

/** Answers one request; a refusal is answered with a `Status`. Throws `Suspended` if other servers are needed first. */
export function answer(api: Api, request: ApiRequest): Reply {
  const { observer } = api;
  return observer === undefined ? answerNow(api, request) : observer.during(request, () => answerNow(api, request));
}

function answerNow(api: Api, request: ApiRequest): Reply {
  try {
    const route = findRoute(api.cluster.kinds, request.method, request.path, request.query);
    requireAccess(api.cluster, route, request);
    if (route.type === 'other') return answerOther(api.cluster, request);
    const representation = acceptedRepresentation(request.headers['accept']);
    if (route.type !== 'resource') return answerDiscovery(api, route, request, representation);
    const { kind } = route.target;
    const asked = { kind, includeObject: request.query.get('includeObject') ?? '', now: api.cluster.now() };
    return represented(answerResource(api, route.target, route.verb, inJson(request)), representation, asked);
  } catch (error) {
    // It goes on when the calls that it waits for were made.
    if (error instanceof Suspended) throw error;
    return refusalReply(error);
  }
}

/** The reply for an error: the `Status` of a refusal, or an internal error for anything else. */
export function refusalReply(error: unknown): Reply {
  if (error instanceof PatchRefused) {
    const { code, reason, message, details } = error;
    const rest = { ...(reason === '' ? {} : { reason }), ...(details === undefined ? {} : { details }) };
    return refusalReply(new StatusError({ code, message, ...rest }));
  }
  if (!(error instanceof StatusError)) {
    const message = `Internal error occurred: ${error instanceof Error ? error.message : String(error)}`;
    return refusalReply(new StatusError({ code: 500, reason: 'InternalError', message }));
  }
  const { code, status, retryAfterSeconds } = error;
  const headers = retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) };
  return { type: 'json', code, value: status, headers };
}

function requireAccess(cluster: Cluster, route: Route, request: ApiRequest): void {
  const attributes = accessAttributes(cluster, route, request);
  const answered = cluster.authorize(attributes);
  if (answered === true) return;
  const why = answered === false ? '' : `: ${answered}`;
  if (route.type !== 'resource') {
    const message = `forbidden: User "${attributes.user}" cannot ${attributes.verb} path "${attributes.path}"${why}`;
    throw new StatusError({ code: 403, reason: 'Forbidden', message, details: {} });
  }
  const { kind, name } = route.target;
  const subject = `${groupResource(kind)}${name === '' ? '' : ` "${name}"`}`;
  const part = attributes.subresource === '' ? '' : `/${attributes.subresource}`;
  const scope = attributes.namespace === '' ? 'at the cluster scope' : `in the namespace "${attributes.namespace}"`;
  const denied = `User "${attributes.user}" cannot ${attributes.verb} resource "${kind.plural}${part}" in API group "${kind.group}" ${scope}`;
  const group = kind.group === '' ? {} : { group: kind.group };
  const details = { ...(name === '' ? {} : { name }), ...group, kind: kind.plural };
  throw new StatusError({
    code: 403,
    reason: 'Forbidden',
    message: `${subject} is forbidden: ${denied}${why}`,
    details,
  });
}

function accessAttributes(cluster: Cluster, route: Route, request: ApiRequest): AccessAttributes {
  const { user } = cluster;
  if (route.type !== 'resource') {
    const none = { group: '', version: '', resource: '', subresource: '', namespace: '', name: '' };
    return { user, verb: request.method.toLowerCase(), ...none, path: request.path };
  }
  const { kind, namespace, name, subresource } = route.target;
  // A request for a namespace object is authorized as a request in that namespace.
  const scope = kind.collection === 'namespaces' ? name : namespace;
  const { group, version, plural } = kind;
  return { user, verb: route.verb, group, version, resource: plural, subresource, namespace: scope, name, path: '' };
}

type DiscoveryRoute = Exclude<Route, { type: 'other' | 'resource' }>;

function answerDiscovery(api: Api, route: DiscoveryRoute, request: ApiRequest, representation: Representation): Reply {
  const reply = discoveryReply(api, route, request);
  return representation === 'yaml' ? inYaml(reply) : reply;
}

function discoveryReply(api: Api, route: DiscoveryRoute, request: ApiRequest): Reply {
  const kinds = api.cluster.kinds.all();
  switch (route.type) {
    case 'root':
      return answerRoot(api, route.root, request);
    case 'group': {
      const document = groupDocument(kinds, route.group);
      return document === undefined ? pageNotFound() : json(document);
    }
    case 'groupVersion': {
      const { group, version } = route;
      const served = kinds.filter((kind) => kind.group === group && kind.version === version);
      return json(resourceList(served, apiVersionOf(route)));
    }
  }
}

type Answerer = (api: Api, target: Target, request: ApiRequest) => Reply;

const ANSWERERS: { readonly [verb: string]: Answerer } = {
  get: ({ cluster }, target, request) => getObject(cluster, target, request),
  list: ({ cluster }, target, request) =>
    listObjects(cluster, target, parseListOptions(target.kind, request.query, cluster.features), request),
  watch: ({ cluster, watches }, target, request) => {
    const query = new URLSearchParams([...request.query].filter(([name]) => name !== 'watch'));
    query.set('watch', 'true');
    return watches.watch(target, parseListOptions(target.kind, query, cluster.features));
  },
  create: ({ cluster }, target, request) => postObject(cluster, target, request),
  update: ({ cluster }, target, request) => putObject(cluster, target, request),
  patch: ({ cluster }, target, request) => patchObject(cluster, target, request),
  delete: ({ cluster }, target, request) => deleteObject(cluster, target, request),
  deletecollection: ({ cluster }, target, request) => deleteCollection(cluster, target, request),
};

function answerResource(api: Api, target: Target, verb: string, request: ApiRequest): Reply {
  if (target.subresource !== '') return answerSubresource(api.cluster, target, verb, request);
  if (isReview(target)) return answerReview(api.cluster, target, request);
  const answerer = ANSWERERS[verb];
  if (answerer === undefined) throw methodNotAllowed();
  return answerer(api, target, request);
}

function answerRoot(api: Api, root: 'api' | 'apis', request: ApiRequest): Reply {
  const kinds = api.cluster.kinds.all();
  const wanted = /application\/json;g=apidiscovery\.k8s\.io;v=(v2beta1|v2);as=APIGroupDiscoveryList/.exec(
    request.headers['accept'] ?? '',
  );
  if (wanted !== null) {
    const version = wanted[1] === 'v2' ? 'v2' : 'v2beta1';
    const contentType = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
    const text = JSON.stringify(aggregatedDiscovery(kinds, root, version));
    return { type: 'text', code: 200, contentType, chunks: [text] };
  }
  return json(root === 'api' ? coreVersions(api.serverAddress()) : groupList(kinds));
}

const VERSION = {
  major: '1',
  minor: '35',
  emulationMajor: '1',
  emulationMinor: '35',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '34',
  gitVersion: 'v1.35.4+sandbox',
  gitCommit: '',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: 'sandbox',
};

function answerOther({ kinds }: Cluster, { path, headers }: ApiRequest): Reply {
  const document = answerOpenApi(kinds.all(), path, headers['accept'] ?? '');
  if (document !== undefined) return document;
  if (path === '/version' || path === '/version/') return json(VERSION);
  if (path.startsWith('/version/')) throw noSuchResource();
  if (/^\/(?:healthz|readyz|livez)(?:\/|$)/.test(path)) return plainText('ok');
  return pageNotFound();
}

function pageNotFound(): Reply {
  return { type: 'text', code: 404, contentType: 'text/plain; charset=utf-8', chunks: ['404 page not found\n'] };
}

function plainText(text: string): Reply {
  return { type: 'text', code: 200, contentType: 'text/plain; charset=utf-8', chunks: [text] };
}
