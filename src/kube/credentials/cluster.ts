import type { CredentialPart, CredentialSource } from './credentials.ts';
import type { Headers } from '../http/http.ts';
import type { TlsOptions } from '../http/tls-options.ts';
import type { Transport } from '../http/transport.ts';

/** What authenticates a request; the same object as long as nothing in it has changed. */
export interface Credentials {
  readonly headers: Headers;
  /** The same object as long as nothing in it has changed: connections are pooled by its identity. */
  readonly tls: TlsOptions;
}

/** An API server with its address, its proxy and the credentials for it. */
export interface Cluster {
  /** The context of a kubeconfig, or `in-cluster`. */
  readonly name: string;
  readonly server: URL;
  /** The context's namespace. */
  readonly namespace?: string;
  /** An HTTP proxy that tunnels to the server. */
  readonly proxy?: URL;
  /** Carries the requests instead of connections; default: connections to `server`. */
  readonly transport?: Transport;
  /** Returns credentials that are valid now; rejects with `CredentialsError`. */
  authenticate(): Promise<Credentials>;
  /** Called when the server answered 401 to these credentials: the next `authenticate` renews them. */
  invalidate(rejected: Credentials): void;
}

/** How to reach an API server, without credentials. */
export interface ClusterAddress {
  readonly name: string;
  readonly server: URL;
  readonly namespace?: string;
  readonly proxy?: URL;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

/** A cluster whose credentials are merged from `sources`; a later source wins. */
export function createCluster(address: ClusterAddress, sources: readonly CredentialSource[]): Cluster {
  const { servername, rejectUnauthorized, ...rest } = address;
  const fixed: TlsOptions = {
    ...(servername === undefined ? {} : { servername }),
    ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
  };
  let current: Credentials = { headers: {}, tls: fixed };

  return {
    ...rest,
    async authenticate() {
      const parts = await Promise.all(sources.map((source) => source.read()));
      current = combine(current, parts, fixed);
      return current;
    },
    invalidate(rejected) {
      // When many requests fail together, only the first one invalidates the credentials they shared.
      if (rejected !== current) return;
      for (const source of sources) source.invalidate();
    },
  };
}

function combine(previous: Credentials, parts: readonly CredentialPart[], fixed: TlsOptions): Credentials {
  const headers: Record<string, string | readonly string[]> = {};
  let tls: TlsOptions = fixed;
  for (const { headers: more, ...files } of parts) {
    Object.assign(headers, more);
    tls = { ...tls, ...files };
  }
  const sameTls = isSame(tls, previous.tls);
  if (sameTls && isSame(headers, previous.headers)) return previous;
  return { headers, tls: sameTls ? previous.tls : tls };
}

function isSame(left: object, right: object): boolean {
  const entries = Object.entries(left);
  const others = new Map<string, unknown>(Object.entries(right));
  return entries.length === others.size && entries.every(([key, value]) => others.get(key) === value);
}
