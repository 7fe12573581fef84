import type { AdmissionBinding } from '../../hook/ask-binding.ts';
import type { LabelSelector } from '../../hook/selector.ts';
import { webhookPath } from '../../hook/webhook-names.ts';
import { withoutBundle, type Registered } from './registered.ts';
import type { JsonObject } from '../../lib/json-object.ts';

/** Where the API server finds the server of webhooks. */
export type WebhookAddress =
  | { readonly type: 'service'; readonly namespace: string; readonly name: string }
  /** Without a path. */
  | { readonly type: 'url'; readonly url: string };

export interface WantedOptions {
  readonly address: WebhookAddress;
  /** Of webhooks whose config has none. */
  readonly failurePolicy: 'Fail' | 'Ignore';
  /** The namespace that no webhook judges unless it says so; undefined where hooklet runs in none. */
  readonly ownNamespace: string | undefined;
  /** Of webhooks whose config does not say whether they judge it. */
  readonly matchOwnNamespace: boolean;
}

/** The `webhooks` of a webhook configuration as they should be, sorted by name, without `caBundle`. */
export function wantedWebhooks(bindings: readonly AdmissionBinding[], options: WantedOptions): readonly JsonObject[] {
  return bindings.map((binding) => wantedWebhook(binding, options)).toSorted(byName);
}

/** Adds what else is registered to what is accepted of all that is wanted. */
export function withOthers(
  accepted: readonly JsonObject[],
  all: readonly JsonObject[],
  found: Registered | undefined,
): readonly JsonObject[] {
  const names = new Set(all.map(({ name }) => name));
  const others = (found?.webhooks ?? []).filter(({ name }) => !names.has(name)).map(withoutBundle);
  return others.length === 0 ? accepted : [...accepted, ...others].toSorted(byName);
}

/** The order in which the API server is told webhooks. */
export function byName(a: JsonObject, b: JsonObject): number {
  return String(a['name']) < String(b['name']) ? -1 : 1;
}

/** Every field that has a default is given, so that one that is taken out of a config is reset. */
function wantedWebhook(binding: AdmissionBinding, options: WantedOptions): JsonObject {
  const { address, failurePolicy, ownNamespace } = options;
  const { name, rules, matchPolicy, sideEffects, timeoutSeconds, matchConditions, objectSelector = {} } = binding;
  const { matchOwnNamespace = options.matchOwnNamespace } = binding;
  const excluded = matchOwnNamespace ? undefined : ownNamespace;
  return {
    name,
    clientConfig: clientConfig(address, webhookPath(name)),
    rules: rules.map(({ apiGroups, apiVersions, operations, resources, scope }) => {
      return { apiGroups, apiVersions, operations, resources, scope };
    }),
    failurePolicy: binding.failurePolicy ?? failurePolicy,
    matchPolicy,
    sideEffects,
    timeoutSeconds,
    admissionReviewVersions: ['v1', 'v1beta1'],
    objectSelector,
    namespaceSelector: withoutNamespace(binding.namespaceSelector ?? {}, excluded),
    // An API server that does not know the field would refuse it.
    ...(matchConditions.length > 0 && { matchConditions }),
    ...(binding.type === 'kubernetesMutating' && { reinvocationPolicy: binding.reinvocationPolicy ?? 'Never' }),
  };
}

function clientConfig(address: WebhookAddress, path: string): JsonObject {
  if (address.type === 'url') return { url: `${address.url.replace(/\/$/, '')}${path}` };
  const { namespace, name } = address;
  return { service: { namespace, name, path, port: 443 } };
}

/** Of cluster-scoped objects, the namespace itself alone is left out too. */
function withoutNamespace(selector: LabelSelector, namespace: string | undefined): LabelSelector {
  if (namespace === undefined) return selector;
  const own = { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: [namespace] } as const;
  return { ...selector, matchExpressions: [...(selector.matchExpressions ?? []), own] };
}
