import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { stringify } from 'yaml';
import type { Api } from './api.ts';
import type { Authorize, Cluster } from './cluster.ts';
import { runControllers, type OptionalController } from './controllers.ts';
import type { Faults, RequestMatcher } from './faults.ts';
import { HttpSide, type LocalRequest, type RequestRecord } from './http.ts';
import { callInProcess, objectCalls, pathOf, type Answer } from './in-process.ts';
import type { JsonObject } from './json.ts';
import { createIds, type Variant } from './ids.ts';
import { Kinds } from './kinds.ts';
import { createMirror, type Mirror } from './mirror.ts';
import { WriteObserver, type ObservedWrite } from './observed-writes.ts';
import type { LocalResponse } from './response-port.ts';
import { createInitialNamespaces } from './namespaces.ts';
import { serveExchange, type Access } from './serve.ts';
import { Storage, type StorageState } from './storage.ts';
import type { Taps } from './taps.ts';
import { until } from './until.ts';
import { Watches } from './watch.ts';
import { loadCelLibrary } from './webhooks/cel-library.ts';
import { Registrations } from './webhooks/registrations.ts';
import { serviceFinder, type ResolveService } from './webhooks/service-finder.ts';
import { WebhookClient } from './webhooks/webhook-client.ts';

/** The options of `startSandbox`. */
export interface SandboxOptions extends Taps {
  /** Default 0, which takes a free port. */
  readonly port?: number;
  readonly host?: string;
  /** The time in milliseconds since the epoch. */
  readonly now?: () => number;
  /** What uids and generated names follow from; absent: they are random. */
  readonly seed?: string;
  /** With a seed: makes others of them, except the uids that a text names. */
  readonly variant?: Variant;
  readonly bookmarkIntervalMs?: number;
  /**
   * Whether lists and watches know `shardSelector` (KEP-5866, the feature gate of the same name); default false, as in
   * API servers of today. It is read for each request.
   */
  readonly shardedListAndWatch?: boolean;
  /** Whether requests without a token are served (kubectl sends no token without TLS). */
  readonly anonymous?: boolean;
  /** Whether a request with this Host header is answered; default all. */
  readonly isHostAllowed?: (host: string | undefined) => boolean;
  /** The state of an earlier sandbox, with which this one starts. */
  readonly state?: StorageState;
  /** The controllers that this sandbox does not run, because real ones do. */
  readonly leaves?: readonly OptionalController[];
  /** Authorizes each request; default everything is allowed. */
  readonly authorize?: Authorize;
  /**
   * The https URL at which a service's port is reached, for webhooks that are registered with a service; undefined where
   * there is none.
   */
  readonly resolveService?: ResolveService;
  /** Whether webhooks must have valid certificates, by the clock of the machine; default true. */
  readonly checksCertificates?: boolean;
  /** Names who has another token than `token`; undefined for one that is not valid. Default: there is none. */
  readonly callerOf?: (token: string) => string | undefined;
  /** Called right after each request that could change an object, and after each change of a controller. */
  readonly onWrite?: (write: ObservedWrite) => void;
}

/** A Kubernetes API server in memory. */
export interface Sandbox extends AsyncDisposable {
  readonly url: string;
  /** The bearer token that requests must carry. */
  readonly token: string;
  /** The text of a kubeconfig for this server; default: with the current token. */
  kubeconfig(token?: string): string;
  readonly faults: Faults;
  /** The latest requests, oldest first. */
  readonly requests: readonly RequestRecord[];
  clearRequests(): void;
  /** Stores objects as another API server has them. */
  readonly mirror: Mirror;
  /** Creates or changes an object by server-side apply. */
  apply(object: JsonObject): Promise<JsonObject>;
  /** Deletes an object if it exists. */
  delete(object: JsonObject): Promise<void>;
  /** The path of an object, which need not be there; throws for a kind that is not served. */
  pathOf(object: JsonObject): string;
  /** Makes a request without HTTP; the path may have a query. */
  call(method: string, path: string, body?: JsonObject, contentType?: string): Promise<Answer>;
  /** Serves a request without a socket as one with, faults included; rejects when the connection would be lost. */
  send(request: LocalRequest, signal?: AbortSignal): Promise<LocalResponse>;
  /** The number of requests that are not answered yet; watches, silenced and delayed ones left out. */
  readonly unanswered: number;
  /** The names of those who wait for answers that a fault delays, as `callerOf` gave them; empty for one without a name. Watches are left out. */
  readonly delayed: readonly string[];
  /** The resourceVersion of the latest write. */
  readonly resourceVersion: string;
  /** All objects of the sandbox, with which another one can start. */
  readonly state: StorageState;
  /** Drops the history: watches and lists at older resourceVersions get 410. */
  compact(): void;
  /** The same for every resourceVersion so far, the latest included. */
  expire(): void;
  /** Closes the connections of the open watches that match, or of all without a matcher; returns how many. */
  dropWatches(matcher?: RequestMatcher): number;
  /** Accepts only this token from now on; open connections stay open. */
  rotateToken(token: string): void;
  /** Stops the server and closes all connections at once. */
  close(): Promise<void>;
}

/** Starts a sandbox on a loopback port. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const storage = new Storage();
  const cluster: Cluster = {
    storage,
    kinds: new Kinds(),
    now: options.now ?? Date.now,
    ids: createIds(options.seed, options.variant),
    authorize: options.authorize ?? (() => true),
    features: {
      get shardedListAndWatch() {
        return options.shardedListAndWatch ?? false;
      },
    },
    user: 'admin',
    webhooks: new Registrations(storage),
    mirrored: new Set(),
    webhookClient: new WebhookClient(serviceFinder(storage, options.resolveService), options.checksCertificates),
  };
  const watches = new Watches(cluster, options.bookmarkIntervalMs ?? 60_000);
  runControllers(cluster, (collection) => watches.end(collection), options.leaves);
  if (options.state === undefined) createInitialNamespaces(cluster);
  else cluster.storage.restore(options.state);
  if (!cluster.webhooks.areNone) await loadCelLibrary();
  const { anonymous = false, isHostAllowed = () => true } = options;
  const { callerOf, onWrite, onRequest, onEvent } = options;
  const access: Access = { token: randomUUID(), anonymous, isHostAllowed, callerOf, taps: { onRequest, onEvent } };
  const observer = onWrite && new WriteObserver(cluster, onWrite);
  const api: Api = { cluster, watches, serverAddress: () => addressOf(http), observer };
  const http = new HttpSide((exchange) => serveExchange(api, http.faults, access, exchange));
  await listen(http, options);
  return assemble(api, http, access);
}

/** Limits how long the server may take to listen, and to close. */
const LIMIT_MS = 10_000;

async function listen(http: HttpSide, { port = 0, host = '127.0.0.1' }: SandboxOptions): Promise<void> {
  await until(LIMIT_MS, (done, fail) => {
    http.server.once('error', fail).listen(port, host, done);
    return () => http.server.off('error', fail);
  });
}

function addressOf(http: HttpSide): string {
  const address: AddressInfo | string | null = http.server.address();
  if (address === null || typeof address === 'string') return '';
  return address.family === 'IPv6' ? `[${address.address}]:${address.port}` : `${address.address}:${address.port}`;
}

function assemble(api: Api, http: HttpSide, access: Access): Sandbox {
  const { storage } = api.cluster;
  const close = async (): Promise<void> => {
    api.cluster.webhookClient.close();
    await closeServer(http);
  };
  return {
    url: `http://${addressOf(http)}`,
    get token() {
      return access.token;
    },
    kubeconfig: (token = access.token) => kubeconfigText(`http://${addressOf(http)}`, token),
    faults: http.faults,
    get requests() {
      return http.records;
    },
    clearRequests: () => http.clearRecords(),
    mirror: createMirror(api.cluster),
    ...objectCalls(api),
    pathOf: (object) => pathOf(api, object),
    call: (method, path, body, contentType) => callInProcess(api, { method, path, body, contentType }),
    send: (request, signal) => http.send(request, signal),
    get unanswered() {
      return http.unanswered;
    },
    get delayed() {
      return http.delayed;
    },
    get resourceVersion() {
      return String(storage.revision);
    },
    get state() {
      return storage.state;
    },
    compact: () => storage.compact(),
    expire: () => storage.expire(),
    dropWatches: (matcher = {}) => http.dropWatches(matcher),
    rotateToken: (token) => {
      access.token = token;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function closeServer({ server }: HttpSide): Promise<void> {
  if (!server.listening) return;
  await until(LIMIT_MS, (done) => {
    server.close(() => done());
    server.closeAllConnections();
    return () => {};
  });
}

function kubeconfigText(server: string, token: string): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'sandbox', cluster: { server } }],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'sandbox', context: { cluster: 'sandbox', user: 'admin', namespace: 'default' } }],
    'current-context': 'sandbox',
  });
}
