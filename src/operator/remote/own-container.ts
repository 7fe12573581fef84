import { apiPath } from '../../kube/api-path.ts';
import type { KubeClient } from '../../kube/client.ts';
import { asJsonObject, text } from '../../kube/object.ts';
import type { OwnPod } from '../../kube/coordination/own-pod.ts';
import { isObject, type JsonObject } from '../../lib/json-object.ts';
import { exponentialBackoff } from '../../lib/backoff.ts';
import { messageOf } from '../../lib/message-of.ts';
import { sleep } from '../../lib/sleep.ts';
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

/** Where the name of the own Pod is not known. */
export const NOWHERE: OwnContainer = { image: undefined, owner: undefined };

export interface UntilKnownOptions {
  readonly client: Pick<KubeClient, 'request'>;
  /** Whether Jobs have no other image than that of the own container. */
  readonly isImageNeeded: boolean;
  readonly log: Logger;
}

const LIMIT_MS = 10_000;
const BACKOFF = { initialMs: 1000, maxMs: 30_000 };
/** Without the owner Jobs only stay when hooklet is uninstalled. */
const OWNER_TRIES = 3;
const CONTAINER = 'hooklet';

/**
 * Reads the own Pod, again where that is refused, as an API server that has just begun refuses what it will allow; where no
 * image is needed, 3 times at most. Undefined when `signal` aborts first.
 */
export async function untilKnown(
  pod: OwnPod,
  { client, isImageNeeded, log }: UntilKnownOptions,
  signal: AbortSignal,
): Promise<OwnContainer | undefined> {
  const backoff = exponentialBackoff(BACKOFF);
  for (let tries = 1; !signal.aborted; tries += 1) {
    try {
      return await ownContainer(client, pod, log, signal);
    } catch (error) {
      if (signal.aborted) break;
      log.warn({ err: error }, 'the own Pod cannot be read, which Jobs have their image and their owner from');
      if (!isImageNeeded && tries >= OWNER_TRIES) return NOWHERE;
      await sleep(backoff.next(), signal);
    }
  }
  return undefined;
}

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
