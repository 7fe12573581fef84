/*
 * Keeps one webhook configuration as the hooks want it. Every replica that could answer runs one for each kind: it
 * follows the object by a watch, and writes when it differs, such as when somebody has emptied it. What a replica must
 * hold before it registers anything is `isAble`: a server that listens with a certificate, and complete snapshots. A write
 * that fails is tried again for ever and holds up nothing else.
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
import { bundleOf, readRegistered, withoutBundle, type Registered, type Writer } from './registered.ts';
import { byName } from './wanted-webhooks.ts';
import { registrationRequest } from './registration-request.ts';
import { isNewer, registrationStep, type RegistrationSituation, type RegistrationStep } from './registration-step.ts';
import { writeWhole } from './write-whole.ts';

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
        await sleep(waitMs, AbortSignal.any([signal, this.#round.signal]));
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
      const situation = await this.#situation(found, signal);
      const step = registrationStep(situation);
      const isReady = this.#options.isAble() || step.type === 'delete' || situation.wanted.length === 0;
      this.#problem = problemOf(step, this.#options);
      if (!isReady || step.type === 'none' || step.type === 'foreign') return LOOK_MS;
      await this.#carryOut(step, situation.me, signal);
      this.#backoff.reset();
      // The watch delivers what was written; without it, the write is not repeated at once.
      return LOOK_MS;
    } catch (error) {
      return signal.aborted ? 0 : this.#failed(error, signal);
    }
  }

  async #situation(found: Registered | undefined, signal: AbortSignal): Promise<RegistrationSituation> {
    const { wanted, bundleFor, namespace, isGone, monotonicMs } = this.#options;
    const { webhooks: all, isPartial, revision } = wanted();
    const webhooks = isPartial ? withOthers(all, found) : all;
    const me = { ...this.#me(found, revision), namespace };
    const isLongEmpty = this.#isLongEmpty(found, monotonicMs());
    const situation = { found, wanted: webhooks, bundleFor, me, isWriterGone: false, isLongEmpty };
    if (found === undefined || !isNewer(found.writer, situation)) return situation;
    const { name } = found.writer;
    if (this.#goneWriter !== name && (await isGone(name, signal))) this.#goneWriter = name;
    if (this.#goneWriter !== name) return situation;
    this.#generation = Math.max(me.generation, found.writer.generation + 1);
    return { ...situation, me: { ...me, generation: this.#generation }, isWriterGone: true };
  }

  #isLongEmpty(found: Registered | undefined, nowMs: number): boolean {
    if (found?.webhooks.length !== 0) {
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

  async #carryOut(
    step: Exclude<RegistrationStep, { readonly type: 'none' | 'foreign' }>,
    me: Writer,
    signal: AbortSignal,
  ): Promise<void> {
    const { client, kind, name, namespace, log } = this.#options;
    const place = { kind, name, me, namespace };
    try {
      await client.request(registrationRequest(step, place), signal);
    } catch (error) {
      if (!isForbidden(error) || step.type === 'delete') throw error;
      // Manifests for shell-operator give no right to patch; the advice is about what is missing for that.
      const written = await writeWhole(step, place, { client, signal }).catch((second: unknown) => {
        throw isForbidden(second) ? error : second;
      });
      // Nor to watch.
      if (written !== undefined) this.#followed.written(written);
    }
    log.info({ kind, name, step: step.type }, DONE[step.type]);
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

/** What is wanted, and what else is registered. */
function withOthers(wanted: readonly JsonObject[], found: Registered | undefined): readonly JsonObject[] {
  const names = new Set(wanted.map(({ name }) => name));
  const others = (found?.webhooks ?? []).filter(({ name }) => !names.has(name)).map(withoutBundle);
  return others.length === 0 ? wanted : [...wanted, ...others].toSorted(byName);
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
