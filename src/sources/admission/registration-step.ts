/*
 * What is to be done about one webhook configuration. Pure: `registration.ts` calls it after every change and carries
 * out the step. What must hold: replicas with the same hooks write the same, so nobody writes twice. Of replicas with
 * different hooks the one that started later decides, and the others only add what is missing of their `caBundle`. What
 * belongs to another installation is not touched, and only what hooklet wrote is deleted.
 */

import { bundleOf, isAsWanted, withBundle, type Registered, type Writer } from './registered.ts';
import type { JsonObject } from '../../lib/json-object.ts';

/** What is to be done. */
export type RegistrationStep =
  | { readonly type: 'none' }
  /** Server-side apply of all webhooks. */
  | { readonly type: 'apply'; readonly webhooks: readonly JsonObject[] }
  /** The list is replaced: it has webhooks of others, or another order. */
  | { readonly type: 'replace'; readonly webhooks: readonly JsonObject[]; readonly found: Registered }
  /** Only bundles are completed: a newer replica decides about the rest. */
  | { readonly type: 'bundles'; readonly bundles: ReadonlyMap<number, string>; readonly found: Registered }
  | { readonly type: 'delete'; readonly found: Registered }
  /** Nothing can be done; shown to people. */
  | { readonly type: 'foreign'; readonly namespace: string };

export interface RegistrationSituation {
  /** Undefined when there is none. */
  readonly found: Registered | undefined;
  /** Without `caBundle`, sorted by name. */
  readonly wanted: readonly JsonObject[];
  /** What is to be said of webhooks that are refused; empty: nothing. */
  readonly refusals: string;
  /** What to write into an object that has `registered`; undefined when it needs no write. */
  readonly bundleFor: (registered: string) => string | undefined;
  readonly me: Writer & { readonly namespace: string };
  /** Whether the Pod that wrote last is gone for good. */
  readonly isWriterGone: boolean;
  /** Whether the configuration has been without webhooks for long enough to be deleted. */
  readonly isLongEmpty: boolean;
}

const NONE: RegistrationStep = { type: 'none' };

/** Returns the next step. */
export function registrationStep(situation: RegistrationSituation): RegistrationStep {
  const { found, wanted, refusals, me } = situation;
  const isNothing = wanted.length === 0 && refusals === '';
  if (found === undefined) return isNothing ? NONE : apply(situation);
  if (found.namespace !== undefined && found.namespace !== me.namespace) {
    return isNothing ? NONE : { type: 'foreign', namespace: found.namespace };
  }
  if (isNothing) return emptied(found, situation);
  if (isSame(found, situation) || isNewer(found.writer, situation)) return completed(found, situation);
  return changed(found, situation);
}

function changed(found: Registered, situation: RegistrationSituation): RegistrationStep {
  const { wanted, refusals } = situation;
  const others = found.webhooks.filter(({ name }) => wanted.every((one) => one['name'] !== name));
  const isOnlyMore = wanted.every((one) => isAsWanted(named(found, one), one));
  if (!isOnlyMore) return apply(situation);
  const webhooks = wanted.map((one) => named(found, one) ?? one);
  // Server-side apply leaves alone what others own, such as shell-operator before.
  const isDone = others.length === 0 && isInOrder(found, wanted) && found.refusals === refusals;
  return isDone ? NONE : { type: 'replace', webhooks, found };
}

/** Whether a replica with newer hooks wrote it, which may still be there. */
export function isNewer(writer: Writer, { me, isWriterGone }: RegistrationSituation): boolean {
  if (isWriterGone || writer.name === me.name) return false;
  if (writer.generation !== me.generation) return writer.generation > me.generation;
  return writer.name > me.name;
}

function emptied(found: Registered, situation: RegistrationSituation): RegistrationStep {
  if (!found.isOurs || isNewer(found.writer, situation)) return NONE;
  if (found.webhooks.length > 0 || found.refusals !== '') return { type: 'replace', webhooks: [], found };
  return situation.isLongEmpty ? { type: 'delete', found } : NONE;
}

function isSame(found: Registered, { wanted, refusals }: RegistrationSituation): boolean {
  return (
    found.refusals === refusals &&
    found.webhooks.length === wanted.length &&
    wanted.every((one, index) => isAsWanted(found.webhooks[index], one))
  );
}

function isInOrder(found: Registered, wanted: readonly JsonObject[]): boolean {
  return wanted.every(({ name }, index) => found.webhooks[index]?.['name'] === name);
}

function completed(found: Registered, { bundleFor }: RegistrationSituation): RegistrationStep {
  const bundles = new Map<number, string>();
  for (const [index, webhook] of found.webhooks.entries()) {
    const bundle = bundleFor(bundleOf(webhook));
    if (bundle !== undefined) bundles.set(index, bundle);
  }
  return bundles.size === 0 ? NONE : { type: 'bundles', bundles, found };
}

function apply({ found, wanted, bundleFor }: RegistrationSituation): RegistrationStep {
  const webhooks = wanted.map((one) => {
    const known = found === undefined ? undefined : named(found, one);
    const registered = known === undefined ? '' : bundleOf(known);
    const bundle = bundleFor(registered) ?? registered;
    return bundle === '' ? one : withBundle(one, bundle);
  });
  return { type: 'apply', webhooks };
}

function named({ webhooks }: Registered, { name }: JsonObject): JsonObject | undefined {
  return webhooks.find((webhook) => webhook['name'] === name);
}
