// What wrote which object, for tests that judge writes and not only the end. A request is answered synchronously, so the
// changes that the storage reports while it is answered are its own; all others are those of controllers.

import type { ApiRequest, Reply } from './api-request.ts';
import { at, textAt } from './json-fields.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import type { Cluster } from './cluster.ts';
import { apiVersionOf, type ServedKind } from './kind.ts';
import { isReview } from './reviews.ts';
import { findRoute, type Route } from './route.ts';
import type { Change, StoredObject } from './storage.ts';

/** A request that could change an object, or a change that a controller made. Dry runs are not observed. */
export interface ObservedWrite {
  /** Who asked, as `callerOf` named it; `controller` for a controller, empty for a request without a token. */
  readonly caller: string;
  readonly verb: 'create' | 'update' | 'patch' | 'apply' | 'delete';
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  /** The status code of the answer; 200 for a controller. */
  readonly code: number;
  readonly isChange: boolean;
  /** The object before the write; absent for one that was created. */
  readonly before?: JsonObject;
  /** The object after the write; absent for one that is gone. */
  readonly after?: JsonObject;
  /** Whether a delete named a uid, or a write a uid or a resourceVersion. */
  readonly hasPrecondition: boolean;
}

type ResourceRoute = Extract<Route, { type: 'resource' }>;

/** Tells `observe` of each write, right after it. */
export class WriteObserver {
  readonly #cluster: Cluster;
  readonly #observe: (write: ObservedWrite) => void;
  #changes: Change[] | undefined;

  constructor(cluster: Cluster, observe: (write: ObservedWrite) => void) {
    this.#cluster = cluster;
    this.#observe = observe;
    cluster.storage.subscribe((change) => {
      if (this.#changes === undefined) this.#controllerWrote(change);
      else this.#changes.push(change);
    });
  }

  /** Answers a request, and tells what it wrote. */
  during(request: ApiRequest, answer: () => Reply): Reply {
    const route = this.#routeOf(request);
    if (route === undefined) return answer();
    const changes: Change[] = [];
    this.#changes = changes;
    let reply: Reply;
    try {
      reply = answer();
    } finally {
      this.#changes = undefined;
    }
    this.#tell(request, route, { code: codeOf(reply), changes });
    return reply;
  }

  /** Tells of a request that a fault refused. */
  refused(request: ApiRequest, code: number): void {
    const route = this.#routeOf(request);
    if (route !== undefined) this.#tell(request, route, { code, changes: [] });
  }

  #routeOf(request: ApiRequest): ResourceRoute | undefined {
    if (request.method === 'GET' || request.query.get('dryRun') === 'All') return undefined;
    try {
      const route = findRoute(this.#cluster.kinds, request.method, request.path, request.query);
      return route.type === 'resource' && !isReview(route.target) ? route : undefined;
    } catch {
      return undefined;
    }
  }

  #tell(
    request: ApiRequest,
    { target, verb }: ResourceRoute,
    { code, changes }: { readonly code: number; readonly changes: readonly Change[] },
  ): void {
    const body = parsed(request.body);
    const hasPrecondition = isConditional(body);
    const asked = { caller: request.caller ?? '', verb: verbOf(verb, request), code, hasPrecondition };
    const { kind, namespace, subresource } = target;
    if (changes.length === 0) {
      const name = target.name === '' ? nameIn(body) : target.name;
      this.#observe({ ...asked, ...typeOf(kind), namespace, name, subresource, isChange: false });
    }
    for (const change of changes) this.#observe({ ...asked, subresource, ...this.#changed(change, kind) });
  }

  #controllerWrote(change: Change): void {
    const verb = change.type === 'delete' ? 'delete' : change.before === undefined ? 'create' : 'update';
    const how = { caller: 'controller', verb, code: 200, subresource: '', hasPrecondition: false } as const;
    this.#observe({ ...how, ...this.#changed(change) });
  }

  #changed(
    { type, before, stored }: Change,
    kind = kindOf(this.#cluster, stored),
  ): Pick<ObservedWrite, 'apiVersion' | 'kind' | 'namespace' | 'name' | 'isChange' | 'before' | 'after'> {
    const { namespace, name } = stored;
    const type_ = kind === undefined ? typeIn(stored.object) : typeOf(kind);
    return {
      ...type_,
      namespace,
      name,
      isChange: true,
      ...(before && { before: { ...type_, ...before.object } }),
      ...(type === 'put' && { after: { ...type_, ...stored.object } }),
    };
  }
}

function kindOf({ kinds }: Cluster, { collection }: StoredObject): ServedKind | undefined {
  return kinds.all().find((kind) => kind.collection === collection);
}

function typeOf(kind: ServedKind): { readonly apiVersion: string; readonly kind: string } {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind };
}

function typeIn(object: JsonObject): { readonly apiVersion: string; readonly kind: string } {
  return { apiVersion: textAt(object, 'apiVersion'), kind: textAt(object, 'kind') };
}

function codeOf(reply: Reply): number {
  return reply.type === 'stream' ? 200 : reply.code;
}

function verbOf(verb: string, { headers }: ApiRequest): ObservedWrite['verb'] {
  switch (verb) {
    case 'create':
    case 'update':
      return verb;
    case 'patch':
      return (headers['content-type'] ?? '').startsWith('application/apply-patch') ? 'apply' : 'patch';
    default:
      return 'delete';
  }
}

function parsed(body: string): JsonValue {
  try {
    return body === '' ? null : (JSON.parse(body) as JsonValue);
  } catch {
    // YAML or protobuf: what it says of preconditions stays unknown.
    return null;
  }
}

function nameIn(body: JsonValue): string {
  return isJsonObject(body) ? textAt(body, 'metadata', 'name') : '';
}

const IDENTITY = ['/metadata/uid', '/metadata/resourceVersion'];

function isConditional(body: JsonValue): boolean {
  if (isJsonArray(body)) {
    return body.some((one) => isJsonObject(one) && one['op'] === 'test' && IDENTITY.includes(textAt(one, 'path')));
  }
  if (!isJsonObject(body)) return false;
  return [at(body, 'preconditions'), at(body, 'metadata')].some(
    (place) => isJsonObject(place) && ['uid', 'resourceVersion'].some((field) => textAt(place, field) !== ''),
  );
}
