/*
 * Keeps one webhook configuration as the hooks want it. Every replica that could answer runs one for each kind: it
 * follows the object by a watch, and writes when it differs, such as when somebody has emptied it. What a replica must
 * hold before it registers anything is `isAble`: a server that listens with a certificate, and complete snapshots. A write
 * that fails is tried again for ever and holds up nothing else. Webhooks that the API server refuses are left out, and an
 * annotation says so (`refused-webhooks.ts`).
 */

import { KubeError, summaryOf } from '../../errors.ts';
import { isForbidden } from '../../kube/api-error.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { Watches } from '../../kube/watch/shared-watches.ts';
import { exponentialBackoff } from '../../lib/backoff.ts';
import { sleep } from '../../lib/sleep.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { Logger } from '../../log.ts';
import { FollowedObject } from '../followed-object.ts';
import { configurationKind, type ConfigurationKind } from './configuration-kind.ts';
import { RefusedWebhooks, refusedIn, type HookOf, type WantedRound } from './refused-webhooks.ts';
import { bundleOf, isAsWanted, readRegistered, refusalsText, type Refusal, type Registered } from './registered.ts';
import { withOthers } from './wanted-webhooks.ts';
import { DONE, problemOf, REFUSED, rulesText, UNDONE } from './registration-texts.ts';
import { Situations, type SituationsOptions } from './situations.ts';
import { UndoneWrites } from './undone-writes.ts';
import { registrationStep, type RegistrationSituation, type RegistrationStep } from './registration-step.ts';
import { writeStep, type TakenStep } from './write-step.ts';

/** What is to be registered now. */
export interface Wanted {
  /** Sorted by name, without `caBundle`. */
  readonly webhooks: readonly JsonObject[];
  /** Some hooks are broken, and may want more: what is registered beside is left there. */
  readonly isPartial: boolean;
  /** Increases when the hooks of this replica were changed: then they are newer than what is registered. */
  readonly revision: number;
}

export interface RegistrationOptions extends SituationsOptions {
  readonly kind: ConfigurationKind;
  readonly name: string;
  readonly client: Pick<KubeClient, 'request'>;
  readonly watches: Watches;
  readonly wanted: () => Wanted;
  readonly hookOf: HookOf;
  /** Whether this replica could answer what it registers. */
  readonly isAble: () => boolean;
  /** Called after what is registered has changed. */
  readonly onChange: () => void;
  /** Milliseconds that never jump. */
  readonly monotonicMs: () => number;
  readonly log: Logger;
}

const LOOK_MS = 30_000;

/** The registration of one kind; `run` keeps it. */
export class Registration {
  readonly #options: RegistrationOptions;
  readonly #followed: FollowedObject<Registered>;
  readonly #backoff = exponentialBackoff({ initialMs: 500, maxMs: 30_000, jitter: 0.5 });
  #round = new AbortController();
  readonly #situations: Situations;
  readonly #refused = new RefusedWebhooks();
  readonly #undone = new UndoneWrites();
  #problem: string | undefined;

  constructor(options: RegistrationOptions) {
    this.#options = options;
    this.#situations = new Situations(options);
    const { watches, name, onChange } = options;
    const place = { kind: configurationKind(options.kind), name, read: readRegistered };
    this.#followed = new FollowedObject(watches, place, () => {
      this.look();
      onChange();
    });
  }

  get kind(): ConfigurationKind {
    return this.#options.kind;
  }

  /** Whether there is no configuration; false while that is not known. */
  get isMissing(): boolean {
    return this.#followed.seen.type === 'missing';
  }

  /** Why it is not registered as it should be; undefined when nothing is known to be wrong. */
  get problem(): string | undefined {
    const { failure } = this.#followed;
    return failure === undefined ? this.#problem : `cannot be watched: ${summaryOf(failure)}`;
  }

  /** The webhooks that the API server refuses: the others are registered without them. */
  get refusals(): readonly Refusal[] {
    return this.#refused.all;
  }

  /** The names of those webhooks that are registered as their hooks want them, as far as it is known. */
  registered(): ReadonlySet<unknown> {
    const { seen } = this.#followed;
    const found = new Map(
      seen.type === 'found' ? seen.object.webhooks.map((webhook) => [webhook['name'], webhook]) : [],
    );
    const { webhooks } = this.#options.wanted();
    return new Set(webhooks.filter((one) => isAsWanted(found.get(one['name']), one)).map(({ name }) => name));
  }

  /** The `caBundle` of each webhook, as PEM; undefined until it is known. */
  bundles(): readonly string[] | undefined {
    const { seen, failure } = this.#followed;
    // Without the right to see it, nothing can be compared.
    if (seen.type === 'unknown') return isForbidden(failure) ? [] : undefined;
    return seen.type === 'missing' ? [] : seen.object.webhooks.map(bundleOf);
  }

  /** Looks again: hooks, certificates or the readiness of this replica have changed. */
  look(): void {
    this.#round.abort();
  }

  /** Works until `signal` aborts; what is registered stays. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) {
        this.#round = new AbortController();
        const waitMs = await this.#once(signal);
        if (waitMs > 0) await sleep(waitMs, AbortSignal.any([signal, this.#round.signal]));
      }
    } finally {
      this.#followed.end();
    }
  }

  /** Takes one step; returns how long to wait for something to change. */
  async #once(signal: AbortSignal): Promise<number> {
    const { seen } = this.#followed;
    if (seen.type === 'unknown') return LOOK_MS;
    const found = seen.type === 'found' ? seen.object : undefined;
    try {
      const round = this.#roundAt(found);
      const situation = await this.#situation(found, round, signal);
      const step = registrationStep(situation);
      this.#problem = problemOf(step, this.#options);
      if (!this.#mayTake(step, situation) || step.type === 'none' || step.type === 'foreign') return LOOK_MS;
      const undoneMs = this.#undoneMs(step, { situation, round });
      return undoneMs > 0 ? undoneMs : await this.#carryOut(step, { situation, round }, signal);
    } catch (error) {
      return signal.aborted ? 0 : this.#failed(error, signal);
    }
  }

  /** What takes webhooks away needs nobody who could answer them. */
  #mayTake(step: RegistrationStep, { wanted }: RegistrationSituation): boolean {
    return this.#options.isAble() || step.type === 'delete' || wanted.length === 0;
  }

  /** How long a write waits that somebody has undone again and again. */
  #undoneMs(step: TakenStep, { situation, round }: Decided): number {
    const waitMs = isListed(step) ? this.#undone.waitMs(contentOf(situation), round.nowMs) : 0;
    if (waitMs > 0) this.#problem = UNDONE;
    return waitMs;
  }

  #roundAt(found: Registered | undefined): Round {
    const { wanted, monotonicMs } = this.#options;
    return { ...wanted(), version: found?.resourceVersion, nowMs: monotonicMs() };
  }

  async #situation(found: Registered | undefined, round: Round, signal: AbortSignal): Promise<RegistrationSituation> {
    const accepted = this.#refused.withoutRefused(round, found);
    const wanted = round.isPartial ? withOthers(accepted, round.webhooks, found) : accepted;
    const refusals = refusalsText(this.#refused.leftOut);
    return this.#situations.at({ found, wanted, refusals }, round, signal);
  }

  async #carryOut(step: TakenStep, { situation, round }: Decided, signal: AbortSignal): Promise<number> {
    const { client, kind, name, namespace } = this.#options;
    const { found, refusals, me } = situation;
    // Not written where it was never needed.
    const isSaid = refusals !== '' || (found?.refusals ?? '') !== '';
    const place = { kind, name, me, namespace, ...(isSaid && { refusals }) };
    try {
      const written = await writeStep(step, place, { client, found, signal });
      // No watch tells it.
      if (written !== undefined) this.#followed.written(written);
    } catch (error) {
      if (!isListed(step) || !this.#isRefused(error, step.webhooks, round)) throw error;
      // The rest can be written at once.
      return 0;
    }
    this.#written(step, { situation, round });
    // The watch delivers what was written; without it, the write is not repeated at once.
    return LOOK_MS;
  }

  #written(step: TakenStep, { situation, round }: Decided): void {
    const { kind, name, log } = this.#options;
    this.#backoff.reset();
    log.info({ kind, name, step: step.type }, DONE[step.type]);
    if (!isListed(step)) return;
    this.#refused.accepted();
    if (this.#undone.wrote(contentOf(situation), round.nowMs)) log.warn({ kind, name }, UNDONE);
  }

  /** Whether a write failed because of webhooks that can be left out; notes them. */
  #isRefused(error: unknown, sent: readonly JsonObject[], round: Round): boolean {
    const { kind, name, hookOf, log } = this.#options;
    const issues = refusedIn(error, sent);
    const noted = issues.size === 0 ? undefined : this.#refused.refused(issues, round, hookOf);
    for (const { webhook, hook, reason } of noted ?? []) log.error({ kind, name, hook, webhook, reason }, REFUSED);
    return noted !== undefined;
  }

  #failed(error: unknown, signal: AbortSignal): number {
    const { kind, name, log } = this.#options;
    const waitMs = this.#backoff.next();
    if (signal.aborted) return 0;
    // Another replica was first: the watch brings what it wrote.
    if (error instanceof KubeError && isOvertaken(error)) return waitMs;
    this.#problem = `cannot be written: ${summaryOf(error)}`;
    const advice = isForbidden(error) ? { advice: `a ClusterRole with the rules ${rulesText(kind)}` } : {};
    log.warn({ kind, name, err: error, ...advice }, 'webhooks cannot be registered, it is tried again');
    return waitMs;
  }
}

/** What is wanted in one round. */
type Round = Wanted & WantedRound;

interface Decided {
  readonly situation: RegistrationSituation;
  readonly round: Round;
}

function isOvertaken({ status, message }: KubeError): boolean {
  const isTestFailed = status === 422 && /test/i.test(message) && /resourceVersion/.test(message);
  return status === 409 || status === 404 || isTestFailed;
}

function isListed(step: TakenStep): step is Extract<TakenStep, { readonly type: 'apply' | 'replace' }> {
  return step.type === 'apply' || step.type === 'replace';
}

/** Without bundles: their rotations undo nothing. */
function contentOf({ wanted, refusals }: RegistrationSituation): string {
  return JSON.stringify([wanted, refusals]);
}
