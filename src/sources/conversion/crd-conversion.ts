import { isDeepStrictEqual } from 'node:util';
import type { ResourceKind } from '../../kube/kind.ts';
import { asJsonObject, text } from '../../kube/object.ts';
import type { WebhookAddress } from '../admission/wanted-webhooks.ts';
import type { JsonObject } from '../../lib/json-object.ts';

/** What a CustomResourceDefinition says about its conversion. */
export interface CrdConversion {
  readonly uid: string;
  readonly resourceVersion: string;
  /** `spec.conversion`. */
  readonly conversion: JsonObject;
  /** The installation of hooklet that registered the converter that is there; undefined when none says so. */
  readonly owner: string | undefined;
}

/** The annotation with the installation that registered the converter. */
export const CONVERTER_OWNER = 'hooklet.dev/converter';

/** Reads a CustomResourceDefinition that the API server sent. */
export function readCrdConversion(object: JsonObject): CrdConversion {
  const metadata = asJsonObject(object['metadata']);
  const conversion = asJsonObject(asJsonObject(object['spec'])['conversion']);
  const owner = text(asJsonObject(metadata['annotations'])[CONVERTER_OWNER]);
  // The annotation may be left from before somebody registered another converter.
  const isOfHooklet = owner !== '' && isCalled(conversion, text(metadata['name']));
  return {
    uid: text(metadata['uid']),
    resourceVersion: text(metadata['resourceVersion']),
    conversion,
    owner: isOfHooklet ? owner : undefined,
  };
}

function isCalled(conversion: JsonObject, crdName: string): boolean {
  const { url, service } = configOf(conversion);
  const path = text(url) === '' ? text(asJsonObject(service)['path']) : text(url);
  return conversion['strategy'] === 'Webhook' && path.endsWith(`/${crdName}`);
}

/** Where the API server finds the converter of a CustomResourceDefinition. */
export function converterConfig(address: WebhookAddress, crdName: string): JsonObject {
  const path = `/${crdName}`;
  if (address.type === 'url') return { url: `${address.url.replace(/\/$/, '')}${path}` };
  const { namespace, name } = address;
  return { service: { namespace, name, path, port: 443 } };
}

/** Whether the API server calls this converter. */
export function isRegistered(found: CrdConversion, clientConfig: JsonObject): boolean {
  return found.conversion['strategy'] === 'Webhook' && isDeepStrictEqual(registeredConfig(found), clientConfig);
}

/** Where the API server calls the converter, without `caBundle`. */
export function registeredConfig({ conversion }: CrdConversion): JsonObject {
  const { caBundle: _, ...registered } = configOf(conversion);
  return registered;
}

/** The `caBundle` as PEM; empty where there is none. */
export function converterBundle({ conversion }: CrdConversion): string {
  return Buffer.from(text(configOf(conversion)['caBundle']), 'base64').toString('utf8');
}

const REVIEWS = ['v1', 'v1beta1'];

/** What a replica registers. */
export interface WantedConverter {
  /** Without `caBundle`. */
  readonly clientConfig: JsonObject;
  /** As PEM; undefined: what is there is left alone. */
  readonly bundle: string | undefined;
  /** Its installation. */
  readonly owner: string;
}

/** The merge patch that registers a converter, with only what differs; undefined when nothing does. */
export function converterPatch(found: CrdConversion, wanted: WantedConverter): JsonObject | undefined {
  const { clientConfig, bundle, owner } = wanted;
  const conversion = conversionPatch(found, clientConfig, bundle);
  // One with the same address answers as well as this one: its mark is left, so that the two do not take turns.
  const isMarked = found.owner === owner || (found.owner !== undefined && isRegistered(found, clientConfig));
  if (conversion === undefined && isMarked) return undefined;
  return {
    ...(!isMarked && { metadata: { annotations: { [CONVERTER_OWNER]: owner } } }),
    ...(conversion !== undefined && { spec: { conversion } }),
  };
}

function conversionPatch(
  found: CrdConversion,
  clientConfig: JsonObject,
  bundle: string | undefined,
): JsonObject | undefined {
  const caBundle = bundle === undefined ? {} : { caBundle: Buffer.from(bundle, 'utf8').toString('base64') };
  const isThere = isRegistered(found, clientConfig);
  const config = isThere ? caBundle : { ...without(clientConfig), ...clientConfig, ...caBundle };
  const { conversionReviewVersions } = asJsonObject(found.conversion['webhook']);
  const webhook = {
    ...(Object.keys(config).length > 0 && { clientConfig: config }),
    ...(!isDeepStrictEqual(conversionReviewVersions, REVIEWS) && { conversionReviewVersions: REVIEWS }),
  };
  if (Object.keys(webhook).length === 0) return undefined;
  return { ...(found.conversion['strategy'] !== 'Webhook' && { strategy: 'Webhook' }), webhook };
}

/** The API server refuses a converter with both. */
function without(clientConfig: JsonObject): JsonObject {
  return 'url' in clientConfig ? { service: null } : { url: null };
}

function configOf(conversion: JsonObject): JsonObject {
  return asJsonObject(asJsonObject(conversion['webhook'])['clientConfig']);
}

/** Needs no discovery: every API server has it. */
export const CRD_KIND: ResourceKind = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  singular: 'customresourcedefinition',
  shortNames: ['crd', 'crds'],
  isNamespaced: false,
  verbs: ['get', 'list', 'watch', 'patch'],
  subresources: [],
};
