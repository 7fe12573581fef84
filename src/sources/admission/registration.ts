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
import type { JsonObject } from '../../kube/object.ts';
import { policyRuleText } from '../../kube/policy-rule.ts';
import type { Watches } from '../../kube/watch/shared-watches.ts';
import { exponentialBackoff } from '../../lib/backoff.ts';
import { sleep } from '../../lib/sleep.ts';
import type { Logger } from '../../log.ts';
import { FollowedObject } from '../followed-object.ts';
import { configurationKind, type ConfigurationKind } from './configuration-kind.ts';
import { RefusedWebhooks, refusedIn, type HookOf, type WantedRound } from './refused-webhooks.ts';
import {
  bundleOf,
  isAsWanted,
  readRegistered,
  refusalsText,
  withoutBundle,
  type Refusal,
  type Registered,
  type Writer,
} from './registered.ts';
import { byName } from './wanted-webhooks.ts';
import { isNewer, registrationStep, type RegistrationSituation, type RegistrationStep } from './registration-step.ts';
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

export interface RegistrationOptions {
  readonly kind: ConfigurationKind;
  readonly name: string;
  /** Of this hooklet. */
  readonly namespace: string;
  /** Of this replica: of its Pod, or of the machine. */
  readonly writer: string;
  readonly client: Pick<KubeClient, 'request'>;
  readonly watches: Watches;
  readonly wanted: () => Wanted;
  readonly hookOf: HookOf;
  /** Whether this replica could answer what it registers. */
  readonly isAble: () => boolean;
  /** What to write into an object that has `registered`; undefined when it needs no write. */
  readonly bundleFor: (registered: string) => string | undefined;
  /** Whether the replica that wrote last is gone for good. */
  readonly isGone: (writer: string, signal: AbortSignal) => Promise<boolean>;
  /** Called after what is registered has changed. */
  readonly onChange: () => void;
  /** Milliseconds that never jump. */
  readonly monotonicMs: () => number;
  readonly log: Logger;
}

/** An old replica may still want webhooks when the new one has none. */
const EMPTY_MS = 60_000;
const LOOK_MS = 30_000;

/** The registration of one kind; `run` keeps it. */
export class Registration {
  readonly #options: RegistrationOptions;
  readonly #followed: FollowedObject<Registered>;
  readonly #backoff = exponentialBackoff({ initialMs: 500, maxMs: 30_000, jitter: 0.5 });
  #round = new AbortController();
  #generation: number | undefined;
  #revision: number | undefined;
  #emptySinceMs: number | undefined;
  #goneWriter: string | undefined;
  readonly #refused = new RefusedWebhooks();
  #problem: string | undefined;

  constructor(options: RegistrationOptions) {
    this.#options = options;
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
      const isReady = this.#options.isAble() || step.type === 'delete' || situation.wanted.length === 0;
      this.#problem = problemOf(step, this.#options);
      if (!isReady || step.type === 'none' || step.type === 'foreign') return LOOK_MS;
      return await this.#carryOut(step, { situation, round }, signal);
    } catch (error) {
      return signal.aborted ? 0 : this.#failed(error, signal);
    }
  }

  #roundAt(found: Registered | undefined): Round {
    const { wanted, monotonicMs } = this.#options;
    return { ...wanted(), version: found?.resourceVersion, nowMs: monotonicMs() };
  }

  async #situation(found: Registered | undefined, round: Round, signal: AbortSignal): Promise<RegistrationSituation> {
    const { bundleFor, namespace, isGone } = this.#options;
    const accepted = this.#refused.withoutRefused(round, found);
    const wanted = round.isPartial ? withOthers(accepted, round.webhooks, found) : accepted;
    const refusals = refusalsText(this.#refused.leftOut);
    const me = { ...this.#me(found, round.revision), namespace };
    const isLongEmpty = this.#isLongEmpty(found, round.nowMs);
    const situation = { found, wanted, refusals, bundleFor, me, isWriterGone: false, isLongEmpty };
    if (found === undefined || !isNewer(found.writer, situation)) return situation;
    const { name } = found.writer;
    if (this.#goneWriter !== name && (await isGone(name, signal))) this.#goneWriter = name;
    if (this.#goneWriter !== name) return situation;
    this.#generation = Math.max(me.generation, found.writer.generation + 1);
    return { ...situation, me: { ...me, generation: this.#generation }, isWriterGone: true };
  }

  #isLongEmpty(found: Registered | undefined, nowMs: number): boolean {
    if (found?.webhooks.length !== 0 || found.refusals !== '') {
      this.#emptySinceMs = undefined;
      return false;
    }
    this.#emptySinceMs ??= nowMs;
    return nowMs - this.#emptySinceMs >= EMPTY_MS;
  }

  /** Its generation is one more than what it found when it began, or when its hooks were changed. */
  #me(found: Registered | undefined, revision: number): Writer {
    const { writer } = this.#options;
    if (this.#generation === undefined || this.#revision !== revision) {
      const registered = found?.writer.generation ?? 0;
      const isOwn = found?.writer.name === writer;
      this.#generation = Math.max(this.#generation ?? 0, isOwn ? registered : registered + 1);
      this.#revision = revision;
    }
    return { generation: this.#generation, name: writer };
  }

  async #carryOut(step: TakenStep, { situation, round }: Decided, signal: AbortSignal): Promise<number> {
    const { client, kind, name, namespace, log } = this.#options;
    const { found, refusals, me } = situation;
    // Not written where it was never needed.
    const isSaid = refusals !== '' || (found !== undefined && found.refusals !== '');
    const place = { kind, name, me, namespace, ...(isSaid && { refusals }) };
    const isListed = step.type === 'apply' || step.type === 'replace';
    try {
      const written = await writeStep(step, place, { client, found, signal });
      // No watch tells it.
      if (written !== undefined) this.#followed.written(written);
    } catch (error) {
      if (!isListed || !this.#isRefused(error, step.webhooks, round)) throw error;
      // The rest can be written at once.
      return 0;
    }
    if (isListed) this.#refused.accepted();
    this.#backoff.reset();
    log.info({ kind, name, step: step.type }, DONE[step.type]);
    // The watch delivers what was written; without it, the write is not repeated at once.
    return LOOK_MS;
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
    const advice = isForbidden(error) ? { advice: `a ClusterRole with the rules ${rules(kind)}` } : {};
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

const REFUSED = 'the API server refuses this webhook, which is left out or stays as it was registered before';

/** What is accepted, and what else is registered. */
function withOthers(
  accepted: readonly JsonObject[],
  all: readonly JsonObject[],
  found: Registered | undefined,
): readonly JsonObject[] {
  const names = new Set(all.map(({ name }) => name));
  const others = (found?.webhooks ?? []).filter(({ name }) => !names.has(name)).map(withoutBundle);
  return others.length === 0 ? accepted : [...accepted, ...others].toSorted(byName);
}

const DONE = {
  apply: 'webhooks registered',
  replace: 'webhooks registered',
  bundles: 'certificate authorities of webhooks registered',
  delete: 'webhook configuration without webhooks deleted',
} as const;

function problemOf(step: RegistrationStep, { kind, name }: RegistrationOptions): string | undefined {
  if (step.type !== 'foreign') return undefined;
  return `${kind} ${name} belongs to the hooklet in the namespace ${step.namespace}: give this one another name with --validating-webhook-configuration-name, or remove that one with hooklet webhooks remove`;
}

function isOvertaken({ status, message }: KubeError): boolean {
  const isTestFailed = status === 422 && /test/i.test(message) && /resourceVersion/.test(message);
  return status === 409 || status === 404 || isTestFailed;
}

function rules(kind: ConfigurationKind): string {
  const { group: apiGroup, plural: resource, verbs } = configurationKind(kind);
  return policyRuleText({ apiGroup, resource, verbs });
}
