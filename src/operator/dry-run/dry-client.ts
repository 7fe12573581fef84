import { KubeError } from '../../errors.ts';
import type { KubeClient, KubeRequest } from '../../kube/client.ts';
import { objectPath, placeOfPath, type ObjectPlace } from './object-place.ts';
import { messageOf } from '../../lib/message-of.ts';
import { isObject } from '../../lib/json-object.ts';

/** A write that the API server has tried and not carried out. */
export interface DryWrite {
  readonly verb: 'create' | 'update' | 'patch' | 'delete';
  /** Of the object, not of its subresource. */
  readonly path: string;
  readonly place: ObjectPlace;
  readonly before: Before;
  /** As the write would leave the object; undefined: deleted, or not known. */
  readonly after: unknown;
  /** Why it could not be tried. */
  readonly untried?: string;
}

/** The object before a write. */
export type Before =
  | { readonly type: 'absent' }
  | { readonly type: 'object'; readonly object: unknown }
  | { readonly type: 'unknown'; readonly reason: string };

const MAX_MADE = 5000;
const REVIEW = /^\/apis\/(?:authentication|authorization)\.k8s\.io\//;
const DONE = { kind: 'Status', apiVersion: 'v1', status: 'Success' };
const NOT_THERE = 'depends on an object that a dry run did not create';

/**
 * A client that sends every write as a dry run. It is under all rooms that write, so that a dry run changes nothing.
 * `onWrite` gets each with what it would change. An object that a dry run would have created is read as it would be, and
 * a write that needs it counts as done. Reviews of tokens and rights change nothing, and are sent as they are.
 */
export function dryRunClient(client: KubeClient, onWrite: (write: DryWrite) => void): KubeClient {
  const dry = new DryRequests(client, onWrite);
  return {
    ...client,
    request: async (request, signal) => dry.request(request, signal),
    bytes: async (request, signal) => client.bytes(dryRequest(request), signal),
    lines: (request, options) => client.lines(dryRequest(request), options),
    chunks: (request, options) => client.chunks(dryRequest(request), options),
  };
}

/** The request as a dry run; one that only reads, or is a review, as it is. */
export function dryRequest(request: KubeRequest): KubeRequest {
  if (request.method === 'GET' || REVIEW.test(request.path)) return request;
  const query = { ...request.query, dryRun: 'All' };
  // With a body the API server does not look at the query of a deletion.
  return request.method === 'DELETE' ? { ...request, query, body: dryBody(request.body) } : { ...request, query };
}

function dryBody(body: KubeRequest['body']): string {
  const options: unknown = body === undefined ? {} : JSON.parse(Buffer.from(body).toString('utf8'));
  const given = isObject(options) ? options : {};
  return JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', ...given, dryRun: ['All'] });
}

class DryRequests {
  readonly #client: KubeClient;
  readonly #onWrite: (write: DryWrite) => void;
  /** Objects that dry runs would have created, by path. */
  readonly #made = new Map<string, unknown>();

  constructor(client: KubeClient, onWrite: (write: DryWrite) => void) {
    this.#client = client;
    this.#onWrite = onWrite;
  }

  async request(request: KubeRequest, signal: AbortSignal): Promise<unknown> {
    const place = placeOfPath(request.path);
    // What asks for a dry run by itself only wants to know whether it would be taken.
    const isOwn = request.query?.['dryRun'] === 'All';
    if (request.method === 'GET') return this.#read(request, signal);
    if (place === undefined || isOwn || REVIEW.test(request.path)) {
      return this.#client.request(dryRequest(request), signal);
    }
    return this.#write(request, place, signal);
  }

  async #read(request: KubeRequest, signal: AbortSignal): Promise<unknown> {
    try {
      return await this.#client.request(request, signal);
    } catch (error) {
      if (isMissing(error) && this.#made.has(request.path)) return this.#made.get(request.path);
      throw error;
    }
  }

  async #write(request: KubeRequest, place: ObjectPlace, signal: AbortSignal): Promise<unknown> {
    const verb = VERBS[request.method];
    const own = objectPath(request.path, place);
    const isNew = verb === 'create' && place.subresource === '';
    const before: Before = isNew ? { type: 'absent' } : await this.#before(own, signal);
    const pathOf = (object: unknown): string => (isNew ? `${own}/${nameOf(object)}` : own);
    try {
      const answer = await this.#client.request(dryRequest(request), signal);
      return this.#tried({ verb, place, path: pathOf(answer), before, after: answer });
    } catch (error) {
      const untried = this.#whyUntried(error, own, place);
      if (untried === undefined) throw error;
      const wanted = parsed(request.body);
      return this.#notTried({ verb, place, path: pathOf(wanted), before, after: undefined, untried }, wanted);
    }
  }

  #tried(write: DryWrite): unknown {
    const { verb, path, before, after } = write;
    if (verb === 'delete') {
      this.#onWrite({ ...write, after: undefined });
      // Whoever deletes in the foreground would wait for the object to go.
      return DONE;
    }
    if (before.type === 'absent') this.#remember(path, after);
    this.#onWrite(write);
    return after;
  }

  /** Counts as done, so that a hook goes on as it would. */
  #notTried(write: DryWrite, wanted: unknown): unknown {
    const { verb, path } = write;
    if (verb === 'create' && write.place.subresource === '') this.#remember(path, wanted);
    this.#onWrite(write);
    return verb === 'delete' ? DONE : (this.#made.get(path) ?? wanted);
  }

  async #before(path: string, signal: AbortSignal): Promise<Before> {
    try {
      return { type: 'object', object: await this.#client.request({ method: 'GET', path }, signal) };
    } catch (error) {
      if (isMissing(error)) return { type: 'absent' };
      signal.throwIfAborted();
      return { type: 'unknown', reason: messageOf(error) };
    }
  }

  #whyUntried(error: unknown, own: string, { namespace }: ObjectPlace): string | undefined {
    if (!(error instanceof KubeError)) return undefined;
    if (/does not support dry run/.test(error.message)) return error.message;
    const isMade = this.#made.has(own) || this.#made.has(`/api/v1/namespaces/${encodeURIComponent(namespace)}`);
    return isMissing(error) && isMade ? NOT_THERE : undefined;
  }

  #remember(path: string, object: unknown): void {
    const [oldest] = this.#made.keys();
    if (this.#made.size >= MAX_MADE && oldest !== undefined) this.#made.delete(oldest);
    this.#made.set(path, object);
  }
}

const VERBS = { GET: 'update', POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' } as const;

function isMissing(error: unknown): boolean {
  return error instanceof KubeError && error.status === 404;
}

function nameOf(object: unknown): string {
  const metadata = isObject(object) ? object['metadata'] : undefined;
  const { name, generateName } = isObject(metadata) ? metadata : {};
  if (typeof name === 'string' && name !== '') return encodeURIComponent(name);
  return typeof generateName === 'string' ? `${encodeURIComponent(generateName)}*` : '';
}

function parsed(body: KubeRequest['body']): unknown {
  try {
    return body === undefined ? {} : JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    return {};
  }
}
