/*
 * An HTTPS listener whose certificates change, of webhooks or of Jobs, while the operator runs. It opens once there is a
 * certificate to serve, and tries again when its port is taken: hooks run without it, and `/readyz` says what is wrong.
 * At the end it goes on to answer for some seconds, because callers learn late that a replica goes, and then lets open
 * requests finish.
 */

import { summaryOf, UsageError } from '../errors.ts';
import { sleep } from '../lib/sleep.ts';
import { aborted } from '../lib/aborted.ts';
import { exponentialBackoff } from '../lib/backoff.ts';
import type { Logger } from '../log.ts';
import type { Certificates } from '../server/certificates/certificates.ts';
import { ClientAuthorities } from '../server/certificates/client-authorities.ts';
import type { HttpServer } from '../server/http-server.ts';
import type { Certificate } from '../server/tls-server.ts';

/** What a server is opened with. */
export interface CertifiedWith {
  /** For new connections; called at the start and at each `renew`. */
  readonly certificate: () => Certificate;
  /** Certificates as PEM of which one must have signed that of a caller; empty at the start: every caller is answered. */
  readonly clientCa: () => readonly string[];
}

export interface CertifiedListenerOptions {
  readonly openServer: (tls: CertifiedWith) => Promise<HttpServer>;
  /** For the log, such as `webhooks`. */
  readonly name: string;
  readonly certificates: Pick<Certificates, 'serving' | 'changes'>;
  /** Files with the certificates of which one must have signed that of a caller; empty: every caller is answered. */
  readonly clientCa: readonly string[];
  /** How long it goes on to answer once it is to end. */
  readonly drainMs: number;
  /** Resolves when callers wait for nothing more that it must answer; default: at once. */
  readonly drained?: (() => Promise<void>) | undefined;
  /** Called when it has begun to listen. */
  readonly onOpen: () => void;
  readonly log: Logger;
}

/** A listener; see above. */
export class CertifiedListener {
  readonly #options: CertifiedListenerOptions;
  readonly #authorities: ClientAuthorities;
  #server: HttpServer | undefined;
  #problem = 'there is no certificate yet';

  constructor(options: CertifiedListenerOptions) {
    this.#options = options;
    this.#authorities = new ClientAuthorities(options.clientCa, options.log);
  }

  /** Why it does not answer; undefined while it does. */
  get problem(): string | undefined {
    return this.#server === undefined ? this.#problem : undefined;
  }

  /** The port that it listens on; undefined until then. */
  get port(): number | undefined {
    return this.#server?.port;
  }

  /** Listens until `signal` aborts, then for as long as it must; resolves when all requests are answered. */
  async run(signal: AbortSignal): Promise<void> {
    // From before the first look, so that no change is missed.
    const changes = this.#options.certificates.changes(signal);
    const serving = await this.#firstCertificate(changes, signal);
    if (serving === undefined) return;
    const server = await this.#open(signal);
    if (server === undefined) return;
    try {
      await this.#renew(server, serving, signal);
      await sleep(this.#options.drainMs, new AbortController().signal);
      await this.#options.drained?.();
    } finally {
      this.#problem = 'the operator stops';
      this.#server = undefined;
      await server.close();
    }
  }

  async #firstCertificate(changes: AsyncIterable<void>, signal: AbortSignal): Promise<Certificate | undefined> {
    const { certificates } = this.#options;
    if (certificates.serving !== undefined) return certificates.serving;
    for await (const _ of changes) if (certificates.serving !== undefined) break;
    return signal.aborted ? undefined : certificates.serving;
  }

  async #open(signal: AbortSignal): Promise<HttpServer | undefined> {
    const { name, certificates, openServer, onOpen, log } = this.#options;
    const certificate = (): Certificate => {
      if (certificates.serving === undefined) throw new UsageError('there is no certificate');
      return certificates.serving;
    };
    const backoff = exponentialBackoff({ initialMs: 1000, maxMs: 10_000 });
    while (!signal.aborted) {
      try {
        await this.#authorities.read();
        this.#server = await openServer({ certificate, clientCa: this.#authorities.texts });
        log.info({ port: this.#server.port }, `serving ${name}`);
        onOpen();
        return this.#server;
      } catch (error) {
        this.#problem = summaryOf(error);
        log.error({ err: error }, `cannot serve ${name}, it is tried again`);
        await sleep(backoff.next(), signal);
      }
    }
    return undefined;
  }

  async #renew(server: HttpServer, first: Certificate, signal: AbortSignal): Promise<void> {
    const { certificates, name, log } = this.#options;
    let current: Certificate | undefined = first;
    const renew = (done: string, failed: string): void => {
      try {
        server.renew();
        current = certificates.serving;
        log.info({}, `${done} ${name}`);
      } catch (error) {
        log.error({ err: error }, `${failed} ${name} is invalid, the one before counts`);
      }
    };
    const look = (): void => {
      const { serving } = certificates;
      if (serving !== undefined && serving !== current) renew('new certificate of', 'the new certificate of');
    };
    const changes = certificates.changes(signal);
    look();
    const follow = async (): Promise<void> => {
      for await (const _ of changes) look();
    };
    const callers = (): void => renew('new certificates of callers of', 'a new certificate of callers of');
    await Promise.all([follow(), this.#authorities.follow(callers, signal), aborted(signal)]);
  }
}
