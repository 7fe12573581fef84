import { apiPath } from '../../../kube/api-path.ts';
import type { KubeRequest } from '../../../kube/client.ts';
import type { SecretPlace, SeenSecret } from '../followed-secret.ts';
import { textsOf, type Held } from './held.ts';

/**
 * Returns the request that makes the Secret hold `held`, if it is still as it was `seen`: it is created where it was
 * missing, and else nobody may have written it since. Keys of others are removed, for the Secret is hooklet's own.
 */
export function secretWrite(place: SecretPlace, seen: SeenSecret, held: Held): KubeRequest {
  const { namespace, name } = place;
  const data = encoded({ ...textsOf(held) });
  const annotations = annotationsOf(held);
  if (seen.type !== 'found') {
    const metadata = { name, namespace, labels: { 'app.kubernetes.io/managed-by': 'hooklet' }, annotations };
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata, type: 'kubernetes.io/tls', data });
    return { method: 'POST', path: apiPath('api', 'v1', 'namespaces', namespace, 'secrets'), body };
  }
  const removed = [...seen.texts.keys()].filter((key) => !(key in data)).map((key): [string, null] => [key, null]);
  const metadata = { resourceVersion: seen.resourceVersion, annotations };
  return {
    method: 'PATCH',
    path: apiPath('api', 'v1', 'namespaces', namespace, 'secrets', name),
    contentType: 'application/merge-patch+json',
    body: JSON.stringify({ metadata, data: { ...data, ...Object.fromEntries(removed) } }),
  };
}

/** For people; nothing reads them. */
function annotationsOf({ leaf, signer, next }: Held): Readonly<Record<string, string>> {
  return {
    'hooklet.dev/phase': next === undefined ? 'steady' : 'joining',
    ...(leaf && { 'hooklet.dev/certificate-not-after': leaf.leaf.validToDate.toISOString() }),
    ...(signer && { 'hooklet.dev/ca-not-after': signer.certificate.validToDate.toISOString() }),
  };
}

function encoded(texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(texts).map(([key, value]) => [key, Buffer.from(value, 'utf8').toString('base64')]),
  );
}
