import { isDeepStrictEqual } from 'node:util';
import { asJsonObject, text, type JsonObject } from '../../kube/object.ts';

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
  };
}

/** The labels and annotations by which `readRegistered` knows who wrote. */
export function writtenBy({ generation, name }: Writer, namespace: string): JsonObject {
  return {
    labels: { [MANAGED_BY.key]: MANAGED_BY.value },
    annotations: { [NAMESPACE]: namespace, [GENERATION]: String(generation), [WRITER]: name },
  };
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
