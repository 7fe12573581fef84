/*
 * Keeps hooklet registered as the converter of one CustomResourceDefinition. Every replica that could answer runs one: it
 * follows the definition by a watch, and writes when `spec.conversion` differs, such as when somebody has emptied the
 * `caBundle` or applied the definition again. A definition that is not there yet is registered when it comes; nothing
 * waits for it. A write that fails is tried again for ever. What somebody else writes in between is replaced with growing
 * delays; but the converter of another installation of hooklet, which an annotation names, is left alone as long as it
 * answers (`rival.ts`). At the end the registration stays: with the strategy `None` the API server would change nothing
 * but `apiVersion`, and so break the objects silently.
 */

import { KubeError, summaryOf } from '../../errors.ts';
import { isForbidden } from '../../kube/api-error.ts';
import type { KubeClient } from '../../kube/client.ts';
import { resourcePath } from '../../kube/kind.ts';
import { asJsonObject } from '../../kube/object.ts';
import { policyRuleText } from '../../kube/policy-rule.ts';
import type { Watches } from '../../kube/watch/shared-watches.ts';
import { exponentialBackoff } from '../../lib/backoff.ts';
import { sleep } from '../../lib/sleep.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { Logger } from '../../log.ts';
import { readCrd, updateConversion } from './update-conversion.ts';
import { FollowedObject } from '../followed-object.ts';
import {
  converterBundle,
  converterPatch,
  CRD_KIND,
  isRegistered,
  readCrdConversion,
  registeredConfig,
  type CrdConversion,
} from './crd-conversion.ts';
import { ASK_MS, placeOfConverter, Rivals, type RivalsOptions } from './rival.ts';

export interface CrdRegistrationOptions extends RivalsOptions {
  readonly crdName: string;
  /** The installation of this replica; all its replicas have the same. */
  readonly owner: string;
  readonly client: Pick<KubeClient, 'request'>;
  readonly watches: Watches;
  /** `clientConfig` without `caBundle`. */
  readonly clientConfig: () => JsonObject;
  /** Whether this replica could answer. */
  readonly isAble: () => boolean;
  /** What to write into an object that has `registered`; undefined when it needs no write. */
  readonly bundleFor: (registered: string) => string | undefined;
  /** Called after what is registered has changed. */
  readonly onChange: () => void;
  /** Called when another installation turns out to have it, with what to do. */
  readonly onContested: (problem: string) => void;
  readonly log: Logger;
}

const FIELD_MANAGER = 'hooklet-webhooks';
const LOOK_MS = 30_000;
/** Somebody who writes again within this time writes against us. */
const CALM_MS = 60_000;

/** The registration of one CustomResourceDefinition; `run` keeps it. */
export class CrdRegistration {
  readonly #options: CrdRegistrationOptions;
  readonly #followed: FollowedObject<CrdConversion>;
  readonly #failures = exponentialBackoff({ initialMs: 500, maxMs: 30_000, jitter: 0.5 });
  readonly #rivals: Rivals;
  readonly #rivalry = exponentialBackoff({ initialMs: 500, maxMs: 30_000, jitter: 0.5 });
  #round = new AbortController();
  #problem: string | undefined;
  #writtenAtMs: number | undefined;
  #notBeforeMs = 0;
  #isTold = false;
  #isMissed = false;

  constructor(options: CrdRegistrationOptions) {
    this.#options = options;
    this.#rivals = new Rivals(options);
    const { watches, crdName: name, onChange } = options;
    this.#followed = new FollowedObject(watches, { kind: CRD_KIND, name, read: readCrdConversion }, () => {
      this.look();
      onChange();
    });
  }

  /** Why it is not registered as it should be; undefined when nothing is known to be wrong. */
  get problem(): string | undefined {
    const { failure, seen } = this.#followed;
    if (failure !== undefined) return `cannot be watched: ${summaryOf(failure)}`;
    return seen.type === 'missing' ? 'the CustomResourceDefinition is not there yet' : this.#problem;
  }

  /** Whether the API server calls this converter, as far as it is known. */
  get isRegistered(): boolean {
    const { seen } = this.#followed;
    return seen.type === 'found' && isRegistered(seen.object, this.#options.clientConfig());
  }

  /** The `caBundle` as PEM, of no element where hooklet is not the converter; undefined until it is known. */
  bundles(): readonly string[] | undefined {
    const { seen, failure } = this.#followed;
    // Without the right to see it, nothing can be compared.
    if (seen.type === 'unknown') return isForbidden(failure) ? [] : undefined;
    return seen.type === 'found' && this.isRegistered ? [converterBundle(seen.object)] : [];
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
        const { waitMs, isUrgent } = await this.#once(signal);
        this.#tellUnwatched();
        await sleep(waitMs, isUrgent ? AbortSignal.any([signal, this.#round.signal]) : signal);
      }
    } finally {
      this.#followed.end();
    }
  }

  /** What no watch has told. */
  #tellUnwatched(): void {
    const { isRegistered: isTold } = this;
    if (this.#isTold === isTold) return;
    this.#isTold = isTold;
    this.#options.onChange();
  }

  /** Once each time that it is found to be missing. */
  #tellMissing(isMissing: boolean): void {
    const { crdName: crd, log } = this.#options;
    if (isMissing && !this.#isMissed) log.warn({ crd }, 'there is no such CustomResourceDefinition yet, it is awaited');
    this.#isMissed = isMissing;
  }

  /** Takes one step; returns how long to wait, and whether a change ends the wait. */
  async #once(signal: AbortSignal): Promise<Wait> {
    await this.#readUnwatched(signal);
    const { seen } = this.#followed;
    this.#tellMissing(seen.type === 'missing');
    const { clientConfig, isAble, bundleFor, owner, monotonicMs } = this.#options;
    if (seen.type !== 'found' || !isAble()) return UNTIL_CHANGED;
    const bundle = bundleFor(converterBundle(seen.object));
    const patch = converterPatch(seen.object, { clientConfig: clientConfig(), bundle, owner });
    if (patch === undefined) return this.#done();
    if (await this.#isOfAnother(seen.object, signal)) return UNTIL_ASKED;
    const earlyMs = this.#notBeforeMs - monotonicMs();
    if (earlyMs > 0) return { waitMs: earlyMs, isUrgent: true };
    try {
      await this.#write(seen.object, patch, signal);
      return this.#done();
    } catch (error) {
      return { waitMs: this.#failed(error, signal), isUrgent: isOvertaken(error) };
    }
  }

  #done(): Wait {
    this.#problem = undefined;
    this.#failures.reset();
    return UNTIL_CHANGED;
  }

  /** Whether another installation is the converter, and answers. */
  async #isOfAnother(found: CrdConversion, signal: AbortSignal): Promise<boolean> {
    const { owner, clientConfig, crdName: crd, onContested, log } = this.#options;
    if (found.owner === undefined || found.owner === owner || isRegistered(found, clientConfig())) return false;
    if (await this.#rivals.isGone(found, signal)) return false;
    const place = placeOfConverter(registeredConfig(found));
    const problem = `belongs to the hooklet ${found.owner}, at ${place}: remove the hook from one of the two`;
    if (this.#problem === problem) return true;
    this.#problem = problem;
    log.warn({ crd, owner: found.owner, place }, 'another hooklet converts this, and is left alone while it answers');
    onContested(problem);
    return true;
  }

  async #write(found: CrdConversion, patch: JsonObject, signal: AbortSignal): Promise<void> {
    const { client, crdName: name, monotonicMs, log } = this.#options;
    const { resourceVersion } = found;
    const patched = client.request(
      {
        method: 'PATCH',
        path: resourcePath(CRD_KIND, { name }),
        query: { fieldManager: FIELD_MANAGER },
        contentType: 'application/merge-patch+json',
        // Takes effect only on the version that it was decided on.
        body: JSON.stringify({ ...patch, metadata: { ...asJsonObject(patch['metadata']), resourceVersion } }),
      },
      signal,
    );
    await patched.catch(async (error: unknown) => {
      if (!isForbidden(error)) throw error;
      // Manifests for shell-operator give no right to patch; the advice is about what is missing for that.
      const access = { client, kind: CRD_KIND, name, signal };
      const written = await updateConversion(patch, access).catch((second: unknown) => {
        throw isForbidden(second) ? error : second;
      });
      this.#followed.written(written);
    });
    const nowMs = monotonicMs();
    const isCalm = this.#writtenAtMs === undefined || nowMs - this.#writtenAtMs > CALM_MS;
    if (isCalm) this.#rivalry.reset();
    this.#writtenAtMs = nowMs;
    this.#notBeforeMs = nowMs + this.#rivalry.next();
    log.info({ crd: name, replaced: found.conversion['strategy'] }, 'registered as the converter');
  }

  /** Without the rights to list and watch it, the definition is read each time. */
  async #readUnwatched(signal: AbortSignal): Promise<void> {
    const { client, crdName: name } = this.#options;
    if (!isForbidden(this.#followed.failure)) return;
    try {
      this.#followed.written(await readCrd({ client, kind: CRD_KIND, name, signal }));
    } catch {
      // It is not there yet, or cannot be read either: the watch says what is missing, and it is read again.
    }
  }

  #failed(error: unknown, signal: AbortSignal): number {
    const { crdName: crd, log } = this.#options;
    const waitMs = this.#failures.next();
    // Another replica was first: the watch brings what it wrote.
    if (signal.aborted || isOvertaken(error)) return waitMs;
    this.#problem = `cannot be written: ${summaryOf(error)}`;
    const advice = isForbidden(error) ? { advice: `a ClusterRole with the rules ${RULES}` } : {};
    log.warn({ crd, err: error, ...advice }, 'the converter cannot be registered, it is tried again');
    return waitMs;
  }
}

interface Wait {
  readonly waitMs: number;
  /** Whether a change ends it. */
  readonly isUrgent: boolean;
}

const UNTIL_CHANGED: Wait = { waitMs: LOOK_MS, isUrgent: true };
const UNTIL_ASKED: Wait = { waitMs: ASK_MS, isUrgent: true };

const RULES = policyRuleText({
  apiGroup: CRD_KIND.group,
  resource: CRD_KIND.plural,
  verbs: ['get', 'list', 'watch', 'patch'],
});

function isOvertaken(error: unknown): boolean {
  return error instanceof KubeError && (error.status === 409 || error.status === 404);
}
