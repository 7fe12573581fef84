/*
 * The webhooks that the API server refuses, each by its name: it refuses a configuration as a whole, so that one bad
 * expression would keep the webhooks of all hooks from being registered. `registration.ts` notes them here and writes the
 * rest. What must hold: one that was registered before its hook was changed stays as it was, since without it requests
 * would pass unseen, unless the API server refuses that too; and each is tried again when hooks were loaded again, and
 * after some minutes, because the API server may be a newer one by then.
 */

import { isDeepStrictEqual } from 'node:util';
import { KubeError } from '../../errors.ts';
import { isAsWanted, withoutBundle, type Refusal, type Registered } from './registered.ts';
import type { JsonObject } from '../../lib/json-object.ts';

/** What is wanted, without those that are refused. */
export interface WantedRound {
  /** Without `caBundle`. */
  readonly webhooks: readonly JsonObject[];
  /** Increases when hooks were loaded again. */
  readonly revision: number;
  readonly nowMs: number;
  /** The resourceVersion of what is registered; undefined: nothing is. */
  readonly version: string | undefined;
}

/** A webhook that is refused, and the attempts at it. */
interface Entry extends Refusal {
  readonly wanted: JsonObject;
  readonly revision: number;
  readonly atMs: number;
  /** Of what was registered then. */
  readonly version: string | undefined;
  /** Whether the form in which it was registered is refused too. */
  readonly isDropped: boolean;
  /** Whether it is about to be tried again. */
  readonly isTried: boolean;
}

const AGAIN_MS = 300_000;

/** The webhooks of one configuration that are refused. */
export class RefusedWebhooks {
  readonly #entries = new Map<string, Entry>();

  /** All that are refused, as far as it is known. */
  get all(): readonly Refusal[] {
    return [...this.#entries.values()];
  }

  /** Those of them that are not about to be tried again. */
  get leftOut(): readonly Refusal[] {
    return [...this.#entries.values()].filter(({ isTried }) => !isTried);
  }

  /** What is to be registered now. */
  withoutRefused(round: WantedRound, found: Registered | undefined): readonly JsonObject[] {
    const { webhooks, revision, nowMs } = round;
    const wanted = new Map(webhooks.map((webhook) => [nameOf(webhook), webhook]));
    const registered = new Map((found?.webhooks ?? []).map((webhook) => [nameOf(webhook), webhook]));
    for (const [name, entry] of this.#entries) {
      const isTried = entry.revision !== revision || nowMs - entry.atMs >= AGAIN_MS;
      const want = wanted.get(name);
      // Another replica has registered it since.
      const isThere = entry.version !== round.version && want !== undefined && isAsWanted(registered.get(name), want);
      if (want === undefined || isThere) this.#entries.delete(name);
      else this.#entries.set(name, { ...entry, isTried });
    }
    return webhooks.flatMap((webhook): readonly JsonObject[] => {
      const entry = this.#entries.get(nameOf(webhook));
      if (entry === undefined || entry.isTried) return [webhook];
      const known = entry.isDropped ? undefined : registered.get(nameOf(webhook));
      return known === undefined ? [] : [withoutBundle(known)];
    });
  }

  /** What was tried was accepted. */
  accepted(): void {
    for (const [name, { isTried }] of this.#entries) if (isTried) this.#entries.delete(name);
  }

  /**
   * Notes the webhooks that these issues of a write name; undefined where they name none that could be left out. Returns
   * those of which it was not known.
   */
  refused(issues: ReadonlyMap<string, string>, round: WantedRound, hookOf: HookOf): readonly Refusal[] | undefined {
    const named = round.webhooks.filter((wanted) => issues.has(nameOf(wanted)) && this.#isLeft(nameOf(wanted)));
    if (named.length === 0) return undefined;
    const { revision, version, nowMs: atMs } = round;
    return named.flatMap((wanted): readonly Refusal[] => {
      const webhook = nameOf(wanted);
      const before = this.#entries.get(webhook);
      const refusal = { webhook, hook: hookOf(webhook), reason: issues.get(webhook) ?? '' };
      const isDropped = before?.isTried === false;
      this.#entries.set(webhook, { ...refusal, wanted, revision, version, atMs, isDropped, isTried: false });
      const isKnown = before?.reason === refusal.reason && isDeepStrictEqual(before.wanted, wanted);
      return isKnown ? [] : [refusal];
    });
  }

  /** Whether something of it was sent that could be left out. */
  #isLeft(webhook: string): boolean {
    const entry = this.#entries.get(webhook);
    return entry === undefined || entry.isTried || !entry.isDropped;
  }
}

/** The hook of a webhook. */
export type HookOf = (webhook: string) => string;

/** What an error of the API server says of each webhook that it names, by the name; `webhooks` are those sent. */
export function refusedIn(error: unknown, webhooks: readonly JsonObject[]): ReadonlyMap<string, string> {
  const issues = error instanceof KubeError ? error.issues : [];
  const byName = new Map<string, string>();
  for (const { path, message } of issues) {
    const [, index, rest = ''] = /^webhooks\[(\d{1,6})\]\.?(.*)$/s.exec(path) ?? [];
    const webhook = index === undefined ? undefined : webhooks[Number(index)];
    if (webhook === undefined) continue;
    const name = nameOf(webhook);
    const text = rest === '' ? message : `${rest}: ${message}`;
    const before = byName.get(name);
    byName.set(name, before === undefined ? text : `${before}; ${text}`);
  }
  return byName;
}

function nameOf({ name }: JsonObject): string {
  return String(name);
}
