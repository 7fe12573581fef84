/*
 * Certificates that hooklet does not make itself: they are read again after each change. A pair that cannot be served,
 * such as one that is half written, is reported and changes nothing.
 */

import type { EventRecorder } from '../../kube/coordination/event-recorder.ts';
import type { Logger } from '../../log.ts';
import { certificatesOf, type Certificates } from './certificates.ts';
import { keepLooking } from './looking.ts';
import { readPair } from './pair.ts';
import { certificatesIn } from './pem.ts';
import { ServedCertificate, type ServedOptions } from './served.ts';

/** What was read; without `ca` hooklet does not write the `caBundle` of registered objects. */
export type Given =
  | { readonly type: 'given'; readonly cert: string; readonly key: string; readonly ca: string | undefined }
  | { readonly type: 'unreadable'; readonly problem: string };

/** Where certificates are read. */
export interface GivenSource {
  /** Such as `/validating-certs/tls.crt` or `Secret default/certs`. */
  readonly place: string;
  /** Rejects only for a bug. */
  read(signal: AbortSignal): Promise<Given>;
  /** Yields when it should be read again. */
  changes(signal: AbortSignal): AsyncIterable<void>;
  /** It is read again after this time in any case. */
  readonly pollMs: number;
  end(): void;
}

export interface GivenOptions extends ServedOptions {
  readonly log: Logger;
  readonly events: Pick<EventRecorder, 'record'>;
}

/** Creates the certificates of a source. */
export function givenCertificates(source: GivenSource, options: GivenOptions): Certificates {
  const loop = new GivenLoop(source, options);
  return certificatesOf(loop.served, async (signal) => loop.run(signal));
}

/** After a pair that cannot be served: it may be half written. */
const AGAIN_MS = 1000;

class GivenLoop {
  readonly served: ServedCertificate;
  readonly #source: GivenSource;
  readonly #options: GivenOptions;
  #taken: string | undefined;
  #problem: string | undefined;

  constructor(source: GivenSource, options: GivenOptions) {
    this.#source = source;
    this.#options = options;
    this.served = new ServedCertificate(options);
    for (const result of ['succeeded', 'failed']) options.metrics.certificateRotations.of({ result });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { registered } = this.#options;
    const changes = [(end: AbortSignal) => this.#source.changes(end), (end: AbortSignal) => registered.changes(end)];
    try {
      await keepLooking({ look: async (end) => this.#look(end), changes }, signal);
    } finally {
      this.#source.end();
    }
  }

  async #look(signal: AbortSignal): Promise<number> {
    const { pollMs } = this.#source;
    const isFirst = this.#problem === undefined;
    const given = await this.#source.read(signal);
    this.#problem = given.type === 'given' ? this.#take(given) : this.#refuse(given.problem);
    this.served.look();
    return this.#problem !== undefined && isFirst ? Math.min(AGAIN_MS, pollMs) : pollMs;
  }

  #take({ cert, key, ca }: Extract<Given, { type: 'given' }>): string | undefined {
    const text = JSON.stringify([cert, key, ca]);
    if (text === this.#taken) return undefined;
    const read = readPair(cert, key);
    if (read.type === 'unusable') return this.#refuse(`the certificate ${read.problem}`);
    const authorities = ca === undefined ? undefined : certificatesIn(ca);
    if (authorities?.length === 0) return this.#refuse('the certificate authority has no certificate that can be read');
    this.#taken = text;
    this.served.offer({ pair: read.pair, authorities });
    const { log, metrics, events } = this.#options;
    const { place } = this.#source;
    const notAfter = read.pair.leaf.validToDate.toISOString();
    metrics.certificateRotations.inc({ result: 'succeeded' });
    log.info({ place, notAfter }, TAKEN);
    events.record({ type: 'Normal', reason: 'WebhookCertificateRotated', message: `${TAKEN} from ${place}` });
    return undefined;
  }

  #refuse(problem: string): string {
    this.served.fail(`${this.#source.place}: ${problem}`);
    if (problem === this.#problem) return problem;
    const { log, metrics, events } = this.#options;
    const { place } = this.#source;
    metrics.certificateRotations.inc({ result: 'failed' });
    log.warn({ place, problem }, REFUSED);
    const message = `${REFUSED}, from ${place}: ${problem}`;
    events.record({ type: 'Warning', reason: 'WebhookCertificateFailed', message });
    return problem;
  }
}

const TAKEN = 'took the certificate of webhooks';
const REFUSED = 'the certificate of webhooks cannot be used, the one before stays';
