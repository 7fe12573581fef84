/*
 * The certificates that hooklet makes itself, in a Secret that all replicas share. Every replica runs this loop: it looks
 * at the Secret, the registered objects and the clock, and writes what `next-step.ts` decides, unless another replica was
 * first. No leader is needed: a write takes effect only on the state that it was decided on, and after a conflict the
 * state is read again. What is served is decided by `served.ts` alone, so a replica that cannot reach the API server goes
 * on with what it has, and is not ready once that is no longer good.
 */

import { KubeError, summaryOf } from '../../../errors.ts';
import { isForbidden } from '../../../kube/api-error.ts';
import type { EventRecorder } from '../../../kube/coordination/event-recorder.ts';
import type { KubeClient } from '../../../kube/client.ts';
import { policyRuleText } from '../../../kube/policy-rule.ts';
import type { Watches } from '../../../kube/watch/shared-watches.ts';
import { exponentialBackoff } from '../../../lib/backoff.ts';
import type { Logger } from '../../../log.ts';
import { certificatesOf, type Certificates, type RegisteredBundles } from '../certificates.ts';
import type { CertificateClock } from '../clock.ts';
import { FollowedSecret, type SecretPlace, type SeenSecret } from '../followed-secret.ts';
import { keepLooking } from '../looking.ts';
import { ServedCertificate, type CertificateMetrics } from '../served.ts';
import { carryOut } from './carry-out.ts';
import { readHeld, type Held } from './held.ts';
import { nextStep, type Lifetimes, type Situation, type Step } from './next-step.ts';
import { secretWrite } from './secret-write.ts';
import { ServerClock } from './server-clock.ts';

export interface SelfMadeOptions {
  readonly client: Pick<KubeClient, 'request'>;
  readonly watches: Watches;
  readonly place: SecretPlace;
  /** What the leaf is for: DNS names and IP addresses. */
  readonly names: readonly string[];
  readonly lifetimes: Lifetimes;
  readonly settleMs: number;
  readonly registered: RegisteredBundles;
  readonly log: Logger;
  readonly metrics: CertificateMetrics;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly clock: CertificateClock;
  /** The longest time between two looks. */
  readonly tickMs: number;
  /** Called with the time that the API server says, to be compared with the clock; a test has another API server time. */
  readonly serverTime?: (saidMs: number) => number;
}

/** The Secret is read at least this often, whatever its watch delivers. */
const READ_MS = 600_000;
const AGAIN_MS = 60_000;
const SOON_MS = 50;
const RULES = [
  policyRuleText({ apiGroup: '', resource: 'secrets', verbs: ['create'] }),
  policyRuleText({ apiGroup: '', resource: 'secrets', verbs: ['get', 'list', 'watch', 'patch'] }),
].join(' and ');

/** Creates the certificates that hooklet makes itself; its watch begins now. */
export function selfMadeCertificates(options: SelfMadeOptions): Certificates {
  const loop = new SelfMadeLoop(options);
  return certificatesOf(loop.served, async (signal) => loop.run(signal));
}

class SelfMadeLoop {
  readonly served: ServedCertificate;
  readonly #options: SelfMadeOptions;
  readonly #clock: ServerClock;
  readonly #secret: FollowedSecret;
  readonly #backoff = exponentialBackoff({ initialMs: 1000, maxMs: 60_000, jitter: 0.5 });
  #retryAtMs = 0;
  #readAtMs = -Infinity;
  #offered: SeenSecret | undefined;
  /** What was read last, with its parts. */
  #held: { readonly seen: SeenSecret; readonly held: Held } | undefined;
  #lastFailure: string | undefined;

  constructor(options: SelfMadeOptions) {
    this.#options = options;
    this.#clock = new ServerClock(options.clock, options.log);
    this.served = new ServedCertificate({ ...options, clock: this.#clock });
    this.#secret = new FollowedSecret(options);
    for (const result of RESULTS) options.metrics.certificateRotations.of({ result });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { registered } = this.#options;
    const changes = [(end: AbortSignal) => this.#secret.follow(end), (end: AbortSignal) => registered.changes(end)];
    try {
      await keepLooking({ look: async (end) => this.#look(end), changes }, signal);
    } finally {
      this.#secret.end();
    }
  }

  async #look(signal: AbortSignal): Promise<number> {
    const { tickMs } = this.#options;
    this.#offer(this.#secret.seen);
    const leftMs = this.#retryAtMs - this.#clock.monotonicMs();
    if (leftMs > 0) return Math.min(leftMs, tickMs);
    const step = this.#step(this.#secret.seen);
    if (step.type === 'wait' && !this.#isReadDue()) return untilNext(step, this.#clock.now(), tickMs);
    try {
      // What the watch delivered and the clock may be old, so both are read again before a write.
      const seen = await this.#read(signal);
      const again = this.#step(seen);
      if (again.type === 'wait') return untilNext(again, this.#clock.now(), tickMs);
      return await this.#act(again, seen, signal);
    } catch (error) {
      if (signal.aborted) return tickMs;
      return step.type === 'wait' ? this.#readLater(error) : this.#failed(error);
    }
  }

  #isReadDue(): boolean {
    return this.#clock.wasSet() || this.#clock.monotonicMs() - this.#readAtMs >= READ_MS;
  }

  async #read(signal: AbortSignal): Promise<SeenSecret> {
    const { serverTime = (saidMs: number) => saidMs } = this.#options;
    const seen = await this.#secret.read(signal, (saidMs) => this.#clock.heard(serverTime(saidMs)));
    this.#readAtMs = this.#clock.monotonicMs();
    this.#offer(seen);
    this.#backoff.reset();
    return seen;
  }

  #step(seen: SeenSecret): Step {
    return nextStep(this.#heldOf(seen), this.#situation());
  }

  #heldOf(seen: SeenSecret): Held {
    if (this.#held?.seen === seen) return this.#held.held;
    const held = readHeld(seen.type === 'found' ? Object.fromEntries(seen.texts) : {});
    this.#held = { seen, held };
    return held;
  }

  #situation(): Situation {
    const { lifetimes, names } = this.#options;
    const isSettled = this.served.view.isSettled.bind(this.served.view);
    return { nowMs: this.#clock.now(), lifetimes, names, isSettled };
  }

  async #act(step: Exclude<Step, { type: 'wait' }>, seen: SeenSecret, signal: AbortSignal): Promise<number> {
    const { client, place, log, metrics, events } = this.#options;
    const maker = await import('./x509.ts');
    const authorityName = `${place.name}-ca`;
    const known = this.served.authorities;
    const held = carryOut(step, this.#heldOf(seen), { ...this.#situation(), maker, authorityName, known });
    try {
      const response = await client.request(secretWrite(place, seen, held), signal);
      this.#offer(this.#secret.take(response));
    } catch (error) {
      if (!isConflict(error, seen)) throw error;
      metrics.certificateRotations.inc({ result: 'conflict' });
      log.debug({ namespace: place.namespace, name: place.name, step: step.type }, 'another replica was first');
      return SOON_MS * (1 + Math.random());
    }
    this.#lastFailure = undefined;
    metrics.certificateRotations.inc({ result: 'succeeded' });
    const { why } = step;
    log.info({ namespace: place.namespace, name: place.name, step: step.type, why }, DONE[step.type]);
    events.record({ type: 'Normal', reason: 'WebhookCertificateRotated', message: `${DONE[step.type]}: ${why}` });
    return 0;
  }

  /** Nothing is due, so a reading that fails is repeated in its time. */
  #readLater(error: unknown): number {
    const { log, tickMs } = this.#options;
    this.#readAtMs = this.#clock.monotonicMs() - READ_MS + AGAIN_MS;
    log.debug({ err: error }, 'the Secret with the certificate of webhooks was not read');
    return tickMs;
  }

  #failed(error: unknown): number {
    const { place, log, metrics, events, tickMs } = this.#options;
    const waitMs = this.#backoff.next();
    this.#retryAtMs = this.#clock.monotonicMs() + waitMs;
    metrics.certificateRotations.inc({ result: 'failed' });
    const summary = summaryOf(error);
    this.served.fail(summary);
    const isKnown = summary === this.#lastFailure;
    this.#lastFailure = summary;
    const advice = isForbidden(error)
      ? { advice: `a Role in namespace ${place.namespace} with the rules ${RULES}` }
      : {};
    const fields = { namespace: place.namespace, name: place.name, err: error, ...advice };
    if (isKnown) log.debug(fields, FAILED);
    else log.error(fields, FAILED);
    const message = `${FAILED}, in Secret ${place.namespace}/${place.name}: ${summary}`;
    if (!isKnown) events.record({ type: 'Warning', reason: 'WebhookCertificateFailed', message });
    return Math.min(waitMs, tickMs);
  }

  /** Passes on what can be served; of a Secret without that, what was served before stays. */
  #offer(seen: SeenSecret): void {
    if (seen === this.#offered) return this.served.look();
    this.#offered = seen;
    const { leaf, authorities } = this.#heldOf(seen);
    if (leaf !== undefined) return this.served.offer({ pair: leaf, authorities });
    if (seen.type !== 'unknown') this.served.fail('the Secret has none');
    return this.served.look();
  }
}

const FAILED = 'the certificate of webhooks cannot be kept up';
const RESULTS = ['succeeded', 'failed', 'conflict'];
const DONE: Readonly<Record<Exclude<Step['type'], 'wait'>, string>> = {
  renewAll: 'made a certificate authority and a serving certificate',
  addAuthority: 'made the next certificate authority, which is to be registered',
  promote: 'made a serving certificate by the next certificate authority',
  renewLeaf: 'made a serving certificate',
  forget: 'took a certificate authority out of the bundle',
};

function untilNext({ untilMs }: Extract<Step, { type: 'wait' }>, nowMs: number, tickMs: number): number {
  return Math.min(Math.max(untilMs - nowMs, SOON_MS), tickMs);
}

/** A Secret that was deleted since it was seen is a conflict too. */
function isConflict(error: unknown, seen: SeenSecret): boolean {
  return error instanceof KubeError && (error.status === 409 || (error.status === 404 && seen.type === 'found'));
}
