import { apiPath } from '../../kube/api-path.ts';
import type { KubeClient } from '../../kube/client.ts';
import { asJsonObject, text } from '../../kube/object.ts';
import type { OwnPod } from '../../kube/coordination/own-pod.ts';
import { isObject, type JsonObject } from '../../lib/json-object.ts';
import { messageOf } from '../../lib/message-of.ts';
import type { Logger } from '../../log.ts';

/** An object that owns Jobs, as `ownerReferences` have it. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** What the operator runs in. */
export interface OwnContainer {
  readonly image: string | undefined;
  /** The Deployment of the own Pod, or what is between them that could be read; absent: the Pod has no owner. */
  readonly owner: OwnerReference | undefined;
}

const LIMIT_MS = 10_000;
const CONTAINER = 'hooklet';

/** Reads the own Pod, and what owns it; rejects with the error of the API server where the Pod cannot be read. */
export async function ownContainer(
  client: Pick<KubeClient, 'request'>,
  { namespace, name }: OwnPod,
  log: Logger,
  signal: AbortSignal,
): Promise<OwnContainer> {
  const read = async (...path: readonly string[]): Promise<JsonObject> =>
    asJsonObject(await client.request({ method: 'GET', path: apiPath(...path), timeoutMs: LIMIT_MS }, signal));
  const pod = await read('api', 'v1', 'namespaces', namespace, 'pods', name);
  const set = ownerOf(pod);
  return { image: imageOf(pod), owner: set?.kind === 'ReplicaSet' ? ((await deploymentOf(set)) ?? set) : set };

  async function deploymentOf(owner: OwnerReference): Promise<OwnerReference | undefined> {
    try {
      return ownerOf(await read('apis', 'apps', 'v1', 'namespaces', namespace, 'replicasets', owner.name));
    } catch (error) {
      log.info({ reason: messageOf(error) }, 'Jobs are owned by the ReplicaSet, as the Deployment is not known');
      return undefined;
    }
  }
}

function ownerOf(object: JsonObject): OwnerReference | undefined {
  const { ownerReferences } = asJsonObject(object['metadata']);
  const owners = (Array.isArray(ownerReferences) ? ownerReferences : []).filter(isObject);
  const owner = owners.find(({ controller }) => controller === true);
  if (owner === undefined) return undefined;
  const { apiVersion, kind, name, uid } = owner;
  return { apiVersion: text(apiVersion), kind: text(kind), name: text(name), uid: text(uid) };
}

/** The container that is called so, else the first. */
function imageOf(pod: JsonObject): string | undefined {
  const { containers } = asJsonObject(pod['spec']);
  const all = (Array.isArray(containers) ? containers : []).filter(isObject);
  const image = text((all.find(({ name }) => name === CONTAINER) ?? all[0])?.['image']);
  return image === '' ? undefined : image;
}
