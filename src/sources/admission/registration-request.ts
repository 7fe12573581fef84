import type { KubeRequest } from '../../kube/client.ts';
import { resourcePath } from '../../kube/kind.ts';
import { unreachable } from '../../lib/unreachable.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { configurationKind, type ConfigurationKind } from './configuration-kind.ts';
import { base64, writtenBy, type Registered, type Writer } from './registered.ts';
import type { RegistrationStep } from './registration-step.ts';

const FIELD_MANAGER = 'hooklet-webhooks';

/** The webhook configuration, and who writes it. */
export interface RegistrationPlace {
  readonly kind: ConfigurationKind;
  readonly name: string;
  readonly me: Writer;
  readonly namespace: string;
  /** What it is to say of webhooks that are refused; undefined: that stays. */
  readonly refusals?: string | undefined;
}

/** The request that carries out a step. */
export function registrationRequest(
  step: Exclude<RegistrationStep, { readonly type: 'none' | 'foreign' }>,
  { kind, name, me, namespace, refusals }: RegistrationPlace,
): KubeRequest {
  const { apiVersion, ...rest } = configurationKind(kind);
  const path = resourcePath({ apiVersion, ...rest }, { name });
  switch (step.type) {
    case 'apply': {
      const metadata = { name, ...writtenBy(me, namespace, refusals) };
      return {
        method: 'PATCH',
        path,
        query: { fieldManager: FIELD_MANAGER, force: 'true' },
        contentType: 'application/apply-patch+yaml',
        body: JSON.stringify({ apiVersion, kind, metadata, webhooks: step.webhooks }),
      };
    }
    case 'replace':
      return mergePatch(path, step.found, { metadata: writtenBy(me, namespace, refusals), webhooks: step.webhooks });
    case 'bundles':
      return bundlesPatch(path, step.found, step.bundles);
    case 'delete': {
      const { uid, resourceVersion } = step.found;
      const body = JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid, resourceVersion } });
      return { method: 'DELETE', path, body };
    }
    default:
      return unreachable(step);
  }
}

interface Change {
  readonly metadata: JsonObject;
  readonly webhooks: readonly JsonObject[];
}

/** Takes effect only on the version that it was decided on; so does the next one. */
function mergePatch(path: string, { resourceVersion }: Registered, { metadata, webhooks }: Change): KubeRequest {
  return {
    method: 'PATCH',
    path,
    query: { fieldManager: FIELD_MANAGER },
    contentType: 'application/merge-patch+json',
    body: JSON.stringify({ metadata: { ...metadata, resourceVersion }, webhooks }),
  };
}

function bundlesPatch(
  path: string,
  { resourceVersion }: Registered,
  bundles: ReadonlyMap<number, string>,
): KubeRequest {
  const test = { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion };
  const steps = [...bundles].map(([index, bundle]) => {
    return { op: 'add', path: `/webhooks/${index}/clientConfig/caBundle`, value: base64(bundle) };
  });
  return {
    method: 'PATCH',
    path,
    query: { fieldManager: FIELD_MANAGER },
    contentType: 'application/json-patch+json',
    body: JSON.stringify([test, ...steps]),
  };
}
