import { KubeError } from '../../../errors.ts';
import { apiPath } from '../../../kube/api-path.ts';
import type { KubeClient } from '../../../kube/client.ts';
import { asJsonObject } from '../../../kube/object.ts';
import type { Logger } from '../../../log.ts';
import type { SecretPlace } from '../followed-secret.ts';
import type { JsonObject } from '../../../lib/json-object.ts';

export interface DropAccess {
  readonly client: Pick<KubeClient, 'request'>;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** A Secret of the type kubernetes.io/tls must have these. */
const REQUIRED = ['tls.crt', 'tls.key'];

/**
 * Empties the Secret with the certificates that hooklet made, so that no key stays behind; nothing else is changed. The
 * Secret itself stays: it may have been made by hand where hooklet has no right to create one, and it has none to delete
 * it. Never rejects; what fails is logged.
 */
export async function dropSecret(place: SecretPlace, { client, log, signal }: DropAccess): Promise<void> {
  const { namespace, name } = place;
  const path = apiPath('api', 'v1', 'namespaces', namespace, 'secrets', name);
  try {
    const secret = asJsonObject(await client.request({ method: 'GET', path }, signal));
    const data = emptied(asJsonObject(secret['data']));
    if (Object.keys(data).length === 0) return;
    const { resourceVersion } = asJsonObject(secret['metadata']);
    const body = JSON.stringify({ metadata: { resourceVersion }, data });
    await client.request({ method: 'PATCH', path, contentType: 'application/merge-patch+json', body }, signal);
    log.info({ namespace, name }, 'the certificates of webhooks are needed no more, their Secret was emptied');
  } catch (error) {
    if (signal.aborted || (error instanceof KubeError && error.status === 404)) return;
    log.warn({ namespace, name, err: error }, 'the Secret with the certificates of webhooks was not emptied');
  }
}

function emptied(data: JsonObject): JsonObject {
  const full = Object.entries(data).filter(([, value]) => value !== '');
  return Object.fromEntries(full.map(([key]) => [key, REQUIRED.includes(key) ? '' : null]));
}
