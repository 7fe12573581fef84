import type { KubeClient } from '../../kube/client.ts';
import { resourcePath } from '../../kube/kind.ts';
import { asJsonObject } from '../../kube/object.ts';
import { configurationKind } from './configuration-kind.ts';
import { withBundle, writtenBy } from './registered.ts';
import type { RegistrationPlace } from './registration-request.ts';
import type { RegistrationStep } from './registration-step.ts';
import type { JsonObject } from '../../lib/json-object.ts';

/** The steps that write webhooks. */
export type WriteStep = Extract<RegistrationStep, { readonly type: 'apply' | 'replace' | 'bundles' }>;

/**
 * Carries out a step with the rights that manifests for shell-operator give: `list`, `create` and `update`. What others
 * have written besides the webhooks stays. Returns what is there now; undefined when nothing was written.
 */
export async function writeWhole(
  step: WriteStep,
  { kind, name, me, namespace, refusals }: RegistrationPlace,
  { client, signal }: { readonly client: Pick<KubeClient, 'request'>; readonly signal: AbortSignal },
): Promise<JsonObject | undefined> {
  const resource = configurationKind(kind);
  const query = { fieldSelector: `metadata.name=${name}` };
  const list = asJsonObject(await client.request({ method: 'GET', path: resourcePath(resource, {}), query }, signal));
  const found = Array.isArray(list['items']) ? list['items'].map(asJsonObject)[0] : undefined;
  const mine = step.type === 'bundles' ? {} : writtenBy(me, namespace, refusals);
  const metadata = { name, ...merged(asJsonObject(found?.['metadata']), mine), ...versionOf(step) };
  const webhooks = step.type === 'bundles' ? withBundles(found, step.bundles) : step.webhooks;
  const body = JSON.stringify({ apiVersion: resource.apiVersion, kind, metadata, webhooks });
  if (found === undefined && step.type !== 'apply') return undefined;
  const [method, location] = found === undefined ? (['POST', {}] as const) : (['PUT', { name }] as const);
  return asJsonObject(await client.request({ method, path: resourcePath(resource, location), body }, signal));
}

/** Takes effect only on the version that it was decided on. */
function versionOf(step: WriteStep): JsonObject {
  return step.type === 'apply' ? {} : { resourceVersion: step.found.resourceVersion };
}

function merged(metadata: JsonObject, more: JsonObject): JsonObject {
  const fields = Object.entries(more).map(([key, value]) => {
    return [key, { ...asJsonObject(metadata[key]), ...asJsonObject(value) }];
  });
  return { ...metadata, ...Object.fromEntries(fields) };
}

function withBundles(found: JsonObject | undefined, bundles: ReadonlyMap<number, string>): readonly JsonObject[] {
  const webhooks = Array.isArray(found?.['webhooks']) ? found['webhooks'].map(asJsonObject) : [];
  return webhooks.map((webhook, index) => {
    const bundle = bundles.get(index);
    return bundle === undefined ? webhook : withBundle(webhook, bundle);
  });
}
