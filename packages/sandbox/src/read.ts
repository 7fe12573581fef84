import type { ApiRequest, Reply, Target } from './api-request.ts';
import type { Cluster } from './cluster.ts';
import { continueToken, parseContinueToken } from './continue-token.ts';
import type { JsonObject } from './json.ts';
import { tooLargeResourceVersion, type ListOptions } from './list-options.ts';
import { badRequest, expired, notFound } from './status-error.ts';
import { StoredObject } from './storage.ts';
import { isForeign, servedObject, viewsOf } from './webhooks/conversion.ts';
import { itemText, objectText, typeFields } from './wire.ts';

/** Answers a get of one object. */
export function getObject(cluster: Cluster, target: Target, request: ApiRequest): Reply {
  const asked = Number(request.query.get('resourceVersion') ?? 0);
  if (asked > cluster.storage.revision) throw tooLargeResourceVersion(asked, cluster.storage.revision);
  const stored = inVersionOf(cluster, target, findObject(cluster, target));
  return { type: 'text', code: 200, contentType: 'application/json', chunks: [objectText(target.kind, stored)] };
}

function inVersionOf(cluster: Cluster, { kind }: Target, stored: StoredObject): StoredObject {
  if (!isForeign(kind, stored.object)) return stored;
  return new StoredObject(stored.collection, stored.revision, servedObject(cluster, kind, stored.object));
}

/** The stored object that the target names; throws 404 if there is none. */
export function findObject(cluster: Cluster, { kind, namespace, name }: Target): StoredObject {
  const stored = cluster.storage.get(kind.collection, namespace, name);
  if (stored === undefined) throw notFound(kind, name);
  return stored;
}

/** One page of a list. */
export interface Page {
  readonly revision: number;
  readonly objects: readonly StoredObject[];
  readonly next: string;
  readonly remaining: number | undefined;
  /** The selector of shards that was applied; empty if there was none. */
  readonly shardSelector: string;
}

/** Answers a list. */
export function listObjects(cluster: Cluster, target: Target, options: ListOptions, request: ApiRequest): Reply {
  const page = listPage(cluster, target, options, request.staleRevision);
  return { type: 'text', code: 200, contentType: 'application/json', chunks: listText(target, page) };
}

/** Returns the page that the options ask for. */
export function listPage(cluster: Cluster, target: Target, options: ListOptions, staleRevision?: number): Page {
  const position = startPosition(cluster, target, options, staleRevision);
  const inScope = position.objects.filter(
    (stored) => stored.key > position.after && (target.namespace === '' || stored.namespace === target.namespace),
  );
  const selected = viewsOf(cluster, target.kind, inScope).filter((stored) => options.matches(stored.object));
  // A list from the watch cache is always complete: the server ignores the limit there.
  const limit = options.resourceVersion === '0' || options.limit <= 0 ? selected.length : options.limit;
  const objects = selected.slice(0, limit);
  const { revision } = position;
  const { shardSelector } = options;
  const last = objects.at(-1);
  if (selected.length === objects.length || last === undefined) {
    return { revision, objects, next: '', remaining: undefined, shardSelector };
  }
  const remaining = options.selects ? undefined : selected.length - objects.length;
  return { revision, objects, next: continueToken(revision, last.key), remaining, shardSelector };
}

interface Position {
  readonly revision: number;
  readonly objects: readonly StoredObject[];
  readonly after: string;
}

function startPosition(cluster: Cluster, { kind }: Target, options: ListOptions, staleRevision?: number): Position {
  const { storage } = cluster;
  if (options.continueToken !== '') return continuedPosition(cluster, kind.collection, options);
  if (options.revision > storage.revision) throw tooLargeResourceVersion(options.revision, storage.revision);
  const exact =
    options.match === 'Exact' || (options.match === '' && options.limit > 0 && options.revision > 0)
      ? options.revision
      : staleRevision;
  if (exact === undefined) return { revision: storage.revision, objects: storage.list(kind.collection), after: '' };
  const objects = storage.listAt(kind.collection, exact);
  if (objects === undefined) throw expired('The resourceVersion for the provided list is too old.');
  return { revision: exact, objects, after: '' };
}

const TOO_OLD_CONTINUE =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
  'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
  'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
  'deleted between the time the first chunk was returned and now may show up in the list.';

function continuedPosition({ storage }: Cluster, collection: string, options: ListOptions): Position {
  if (options.resourceVersion !== '' && options.resourceVersion !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  const token = parseContinueToken(options.continueToken);
  if (token.revision < 0) return { revision: storage.revision, objects: storage.list(collection), after: token.after };
  const objects = storage.listAt(collection, token.revision);
  if (objects === undefined) throw expired(TOO_OLD_CONTINUE, { continue: continueToken(-1, token.after) });
  return { revision: token.revision, objects, after: token.after };
}

/** Yields the JSON of a page in pieces. */
export function* listText({ kind }: Target, page: Page): Generator<string> {
  const types = typeFields(kind, kind.listKind);
  const metadata = JSON.stringify(listMetadata(page, kind.custom !== undefined));
  yield `{${types},"metadata":${metadata},"items":[`;
  let separator = '';
  for (const stored of page.objects) {
    yield separator + itemText(kind, stored);
    separator = ',';
  }
  yield ']}';
}

function listMetadata(page: Page, custom: boolean): JsonObject {
  return {
    ...(custom && page.next === '' ? { continue: '' } : {}),
    resourceVersion: String(page.revision),
    ...(page.next === '' ? {} : { continue: page.next }),
    ...(page.remaining === undefined ? {} : { remainingItemCount: page.remaining }),
    ...(page.shardSelector === '' ? {} : { shardInfo: { selector: page.shardSelector } }),
  };
}
