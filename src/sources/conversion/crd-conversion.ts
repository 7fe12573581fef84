import { isDeepStrictEqual } from 'node:util';
import type { ResourceKind } from '../../kube/kind.ts';
import { asJsonObject, text, type JsonObject } from '../../kube/object.ts';
import type { WebhookAddress } from '../admission/wanted-webhooks.ts';

/** What a CustomResourceDefinition says about its conversion. */
export interface CrdConversion {
  readonly uid: string;
  readonly resourceVersion: string;
  /** `spec.conversion`. */
  readonly conversion: JsonObject;
}

/** Reads a CustomResourceDefinition that the API server sent. */
export function readCrdConversion(object: JsonObject): CrdConversion {
  const metadata = asJsonObject(object['metadata']);
  return {
    uid: text(metadata['uid']),
    resourceVersion: text(metadata['resourceVersion']),
    conversion: asJsonObject(asJsonObject(object['spec'])['conversion']),
  };
}

/** Where the API server finds the converter of a CustomResourceDefinition. */
export function converterConfig(address: WebhookAddress, crdName: string): JsonObject {
  const path = `/${crdName}`;
  if (address.type === 'url') return { url: `${address.url.replace(/\/$/, '')}${path}` };
  const { namespace, name } = address;
  return { service: { namespace, name, path, port: 443 } };
}

/** Whether the API server calls this converter. */
export function isRegistered({ conversion }: CrdConversion, clientConfig: JsonObject): boolean {
  const { caBundle: _, ...registered } = configOf(conversion);
  return conversion['strategy'] === 'Webhook' && isDeepStrictEqual(registered, clientConfig);
}

/** The `caBundle` as PEM; empty where there is none. */
export function converterBundle({ conversion }: CrdConversion): string {
  return Buffer.from(text(configOf(conversion)['caBundle']), 'base64').toString('utf8');
}

const REVIEWS = ['v1', 'v1beta1'];

/**
 * The `spec.conversion` of a merge patch that registers a converter, with only what differs; undefined when nothing
 * does. The bundle, as PEM, is left alone when it is undefined.
 */
export function conversionPatch(
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
