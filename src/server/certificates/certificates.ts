import type { Certificate } from '../tls-server.ts';

/**
 * The certificates of the webhook server, wherever they come from: files, a Secret that someone else keeps, or made by
 * hooklet itself. What must hold: `serving` is a certificate that the objects registered with the API server trust as
 * they are now, so a new one is served only after the bundle that trusts it is registered.
 */
export interface Certificates {
  /** For new connections; undefined until there is one that can be served. */
  readonly serving: Certificate | undefined;
  /** PEM for `clientConfig.caBundle` of all registered objects; undefined: not known yet, or the field is left alone. */
  readonly caBundle: string | undefined;
  /** Why a replica with these certificates is not ready; undefined when it is. */
  readonly problem: string | undefined;
  /** Yields after `serving` or `caBundle` changed. */
  changes(signal: AbortSignal): AsyncIterable<void>;
  /** Keeps the certificates valid until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** The certificates of which `now` says what they are at any moment, and that `run` keeps valid. */
export function certificatesOf(now: Omit<Certificates, 'run'>, run: Certificates['run']): Certificates {
  return {
    get serving() {
      return now.serving;
    },
    get caBundle() {
      return now.caBundle;
    },
    get problem() {
      return now.problem;
    },
    changes: (signal) => now.changes(signal),
    run,
  };
}

/** What is registered with the API server, as the watches of the registrations saw it last. */
export interface RegisteredBundles {
  /**
   * The `caBundle` of each registered object that exists, as PEM; empty where the field is missing. Undefined until the
   * watches have listed them.
   */
  bundles(): readonly string[] | undefined;
  /** Yields after one of them changed. */
  changes(signal: AbortSignal): AsyncIterable<void>;
}
