import { isDeepStrictEqual } from 'node:util';
import { asJsonObject, text } from '../../kube/object.ts';
import { shownText } from '../../lib/shown.ts';
import type { JsonObject } from '../../lib/json-object.ts';

/** A webhook configuration as it is. */
export interface Registered {
  readonly uid: string;
  readonly resourceVersion: string;
  /** Whether hooklet has written it. */
  readonly isOurs: boolean;
  /** The namespace of the hooklet that wrote it; undefined when it does not say so. */
  readonly namespace: string | undefined;
  readonly writer: Writer;
  readonly webhooks: readonly JsonObject[];
  /** What it says of webhooks that the API server refuses (`refusalsText`); empty: nothing. */
  readonly refusals: string;
}

/** A webhook that the API server refuses, and so is not registered as its hook wants it. */
export interface Refusal {
  readonly webhook: string;
  readonly hook: string;
  readonly reason: string;
}

/**
 * Which replica wrote last. A replica that starts counts one more than what it finds, so that the one with the newer
 * hooks wins during a rollout, whatever their clocks say.
 */
export interface Writer {
  readonly generation: number;
  /** Of the Pod, or of the machine. */
  readonly name: string;
}

export const MANAGED_BY = { key: 'app.kubernetes.io/managed-by', value: 'hooklet' } as const;
const NAMESPACE = 'hooklet.dev/namespace';
const GENERATION = 'hooklet.dev/generation';
const WRITER = 'hooklet.dev/written-by';
const REFUSALS = 'hooklet.dev/refused-webhooks';

/** Reads a webhook configuration that the API server sent. */
export function readRegistered(object: JsonObject): Registered {
  const metadata = asJsonObject(object['metadata']);
  const annotations = asJsonObject(metadata['annotations']);
  const generation = Number(text(annotations[GENERATION]));
  const namespace = text(annotations[NAMESPACE]);
  const { webhooks } = object;
  return {
    uid: text(metadata['uid']),
    resourceVersion: text(metadata['resourceVersion']),
    isOurs: asJsonObject(metadata['labels'])[MANAGED_BY.key] === MANAGED_BY.value,
    namespace: namespace === '' ? undefined : namespace,
    writer: { generation: Number.isSafeInteger(generation) ? generation : 0, name: text(annotations[WRITER]) },
    webhooks: Array.isArray(webhooks) ? webhooks.map(asJsonObject) : [],
    refusals: text(annotations[REFUSALS]),
  };
}

/**
 * The labels and annotations by which `readRegistered` knows who wrote, and what is refused; undefined leaves what is
 * said of that as it is.
 */
export function writtenBy({ generation, name }: Writer, namespace: string, refusals?: string): JsonObject {
  const refused = refusals === undefined ? {} : { [REFUSALS]: refusals };
  return {
    labels: { [MANAGED_BY.key]: MANAGED_BY.value },
    annotations: { [NAMESPACE]: namespace, [GENERATION]: String(generation), [WRITER]: name, ...refused },
  };
}

/** All annotations of an object have 256 KiB. */
const MAX_REFUSALS = 100;
const MAX_REASON = 1000;

/** Refusals as the text of an annotation, the same for the same refusals; empty: there are none. */
export function refusalsText(refusals: readonly Refusal[]): string {
  if (refusals.length === 0) return '';
  const sorted = refusals.toSorted((a, b) => (a.webhook < b.webhook ? -1 : 1)).slice(0, MAX_REFUSALS);
  return JSON.stringify(
    sorted.map(({ webhook, hook, reason }) => ({ webhook, hook, reason: shownText(reason, MAX_REASON) })),
  );
}

/** Reads what `refusalsText` wrote; of a text that anybody else wrote, nothing. */
export function readRefusals(written: string): readonly Refusal[] {
  try {
    const list: unknown = JSON.parse(written);
    if (!Array.isArray(list)) return [];
    return list.map(asJsonObject).map(({ webhook, hook, reason }) => {
      return { webhook: text(webhook), hook: text(hook), reason: text(reason) };
    });
  } catch {
    return [];
  }
}

/** The `caBundle` of a webhook as PEM; empty where it has none. */
export function bundleOf(webhook: JsonObject): string {
  return Buffer.from(text(asJsonObject(webhook['clientConfig'])['caBundle']), 'base64').toString('utf8');
}

/** The webhook with another `caBundle`, given as PEM. */
export function withBundle(webhook: JsonObject, bundle: string): JsonObject {
  const clientConfig = { ...asJsonObject(webhook['clientConfig']), caBundle: base64(bundle) };
  return { ...webhook, clientConfig };
}

/** The webhook without `caBundle`. */
export function withoutBundle(webhook: JsonObject): JsonObject {
  const { caBundle: _, ...clientConfig } = asJsonObject(webhook['clientConfig']);
  return { ...webhook, clientConfig };
}

export function base64(bundle: string): string {
  return Buffer.from(bundle, 'utf8').toString('base64');
}

/** Whether a webhook is as it should be; its `caBundle` does not count. */
export function isAsWanted(webhook: JsonObject | undefined, wanted: JsonObject): boolean {
  return webhook !== undefined && isDeepStrictEqual(compared(webhook), compared(wanted));
}

/** Lists that the API server leaves out when they are empty. */
const EMPTY = { rules: [], matchConditions: [] };

function compared(webhook: JsonObject): JsonObject {
  return { ...EMPTY, ...withoutBundle(webhook) };
}
