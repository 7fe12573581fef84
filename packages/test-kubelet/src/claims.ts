import type { V1PersistentVolume, V1PersistentVolumeClaim } from '@kubernetes/client-node';
import { lstat, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { at, insist, type Api } from './api.ts';
import type { KubeNode } from './node.ts';
import { quantity } from './quantity.ts';

const PROVISIONER = 'kubelet.hooklet.test';

/**
 * The PersistentVolumeClaims of the node. Each gets a volume of its own, a file system in memory of the requested size,
 * which is deleted with the claim.
 */
export class Claims {
  readonly #node: KubeNode;
  readonly #api: Api;
  readonly #onChange: () => void;
  readonly #volumes = new Map<string, Promise<Volume>>();
  readonly #claims = new Map<string, V1PersistentVolumeClaim>();

  constructor(node: KubeNode, api: Api, onChange: () => void) {
    this.#node = node;
    this.#api = api;
    this.#onChange = onChange;
  }

  /** Handles a new or changed claim; rejects if it cannot be given a volume. */
  async apply(claim: V1PersistentVolumeClaim): Promise<void> {
    const { namespace = '', name = '', uid = '' } = claim.metadata ?? {};
    this.#claims.set(keyOf(namespace, name), claim);
    this.#onChange();
    // An empty storage class asks for an existing volume.
    if (this.#volumes.has(uid)) {
      await this.#grow(claim);
      return;
    }
    if (claim.spec?.storageClassName === '' || claim.spec?.volumeName !== undefined) return;
    const volume = this.#provision(claim);
    this.#volumes.set(uid, volume);
    await volume;
  }

  /** Handles a deleted claim: deletes its volume. */
  async remove({ metadata = {} }: V1PersistentVolumeClaim): Promise<void> {
    const { namespace = '', name = '', uid = '' } = metadata;
    const key = keyOf(namespace, name);
    if (this.#claims.get(key)?.metadata?.uid === uid) this.#claims.delete(key);
    const volume = await this.#volumes.get(uid);
    if (volume === undefined) return;
    await removeVolume(this.#api, volume.name);
    // Otherwise the end of the node has to remove it.
    if (!this.#api.signal.aborted) this.#volumes.delete(uid);
    await this.#node.run('umount -l "$1" && rmdir "$1"', join(this.#node.folder, volume.folder));
  }

  /** Why a pod cannot use a claim yet; undefined if it can. */
  problemOf(namespace: string, name: string): string | undefined {
    const claim = this.#claims.get(keyOf(namespace, name));
    if (claim === undefined) return `persistentvolumeclaim "${name}" not found`;
    if (claim.metadata?.deletionTimestamp !== undefined) return `persistentvolumeclaim "${name}" is being deleted`;
    return claim.status?.phase === 'Bound' ? undefined : 'pod has unbound immediate PersistentVolumeClaims';
  }

  /** The folder of a claim's volume, relative to the node's folder. */
  folderOf(namespace: string, name: string): string {
    const uid = this.#claims.get(keyOf(namespace, name))?.metadata?.uid ?? '';
    if (!this.#volumes.has(uid)) throw new Error(`no volume for a claim ${namespace}/${name} on this node`);
    return folderOf(uid);
  }

  /** The folder of a claim's volume as this process sees it. */
  pathOf(namespace: string, name: string): string {
    return join(this.#node.hostFolder, this.folderOf(namespace, name));
  }

  /** Deletes everything in a claim's volume. */
  async wipe(namespace: string, name: string): Promise<void> {
    const path = this.pathOf(namespace, name);
    for (const entry of await readdir(path)) await rm(join(path, entry), { recursive: true, force: true });
  }

  /** Overwrites bytes in the middle of the volume's files whose path matches; throws if none does. */
  async corrupt(namespace: string, name: string, file: RegExp): Promise<void> {
    const path = this.pathOf(namespace, name);
    const entries = await readdir(path, { recursive: true });
    const hits: string[] = [];
    for (const entry of entries) {
      const found = await lstat(join(path, entry));
      if (file.test(entry) && found.isFile() && found.size > 0) hits.push(entry);
    }
    if (hits.length === 0) throw new Error(`no file of ${namespace}/${name} matches ${file}: ${entries.join(' ')}`);
    for (const hit of hits) await overwriteMiddle(join(path, hit));
  }

  /** Leaves no free space in a claim's volume until the returned function is called. */
  async fill(namespace: string, name: string): Promise<() => Promise<void>> {
    const folder = join(this.#node.folder, this.folderOf(namespace, name));
    const claim = this.#claims.get(keyOf(namespace, name));
    const size = sizeOf(claim);
    await this.#node.run(FILL, folder);
    return async () => {
      // If the volume was deleted, there is nothing to undo.
      if (!this.#volumes.has(claim?.metadata?.uid ?? '')) return;
      await this.#node.run('mount -o "remount,size=$2" "$1"', folder, String(size));
    };
  }

  /** Removes the PersistentVolumes that still exist, although their claims may exist. */
  async removeVolumes(api: Api): Promise<void> {
    for (const uid of this.#volumes.keys()) await removeVolume(api, nameOf(uid));
  }

  /** Makes the volume of a claim as large as it asks for, while it is in use. */
  async #grow(claim: V1PersistentVolumeClaim): Promise<void> {
    const { namespace = '', name = '', uid = '' } = claim.metadata ?? {};
    if (capacityOf(claim) >= sizeOf(claim)) return;
    const storage = claim.spec?.resources?.requests?.['storage'];
    const path = join(this.#node.folder, folderOf(uid));
    await this.#node.run('mount -o "remount,size=$2" "$1"', path, String(sizeOf(claim)));
    const capacity = { capacity: { storage } };
    await insist(
      () => this.#api.patch(`/api/v1/persistentvolumes/${nameOf(uid)}`, { spec: capacity }),
      this.#api.signal,
    );
    const status = { metadata: { uid }, status: capacity };
    await insist(
      () => this.#api.patch(at(namespace, 'persistentvolumeclaims', name, 'status'), status),
      this.#api.signal,
    );
  }

  async #provision(claim: V1PersistentVolumeClaim): Promise<Volume> {
    const { uid = '' } = claim.metadata ?? {};
    const volume = { name: nameOf(uid), folder: folderOf(uid) };
    await mkdir(join(this.#node.hostFolder, volume.folder), { recursive: true });
    const path = join(this.#node.folder, volume.folder);
    await this.#node.run('mount -t tmpfs -o "size=$2,mode=755" volume "$1"', path, String(sizeOf(claim)));
    const object = persistentVolume(claim, volume.name, path);
    await insist(() => this.#api.create<V1PersistentVolume>('/api/v1/persistentvolumes', object), this.#api.signal);
    return volume;
  }
}

interface Volume {
  readonly name: string;
  readonly folder: string;
}

/** Removes a PersistentVolume at once, also if its claim is still there. */
async function removeVolume(api: Api, name: string): Promise<void> {
  const path = `/api/v1/persistentvolumes/${name}`;
  await insist(() => api.remove(path), api.signal);
  // Nobody can add a finalizer to an object that is being deleted.
  await insist(() => api.patch(path, { metadata: { finalizers: null } }), api.signal);
}

/** Makes the used space the size of the file system. Tried again, as a process may write in between. */
const FILL = `
for attempt in 1 2 3 4 5 6 7 8 9 10; do
  used=$(stat -f -c '%b %f %S' "$1" | { read -r blocks free size; echo $(((blocks - free) * size)); })
  if mount -o "remount,size=$((used > 4096 ? used : 4096))" "$1"; then exit 0; fi
done
exit 1
`;

function keyOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

function nameOf(uid: string): string {
  return `pvc-${uid}`;
}

function folderOf(uid: string): string {
  return `volumes/${uid}`;
}

function sizeOf(claim: V1PersistentVolumeClaim | undefined): number {
  return quantity(claim?.spec?.resources?.requests?.['storage'] ?? '1Gi');
}

/** Of a claim that is not bound yet nothing can grow. */
function capacityOf({ status }: V1PersistentVolumeClaim): number {
  const known = status?.capacity?.['storage'];
  return known === undefined ? Number.POSITIVE_INFINITY : quantity(known);
}

function persistentVolume({ metadata = {}, spec = {} }: V1PersistentVolumeClaim, name: string, path: string): object {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, annotations: { 'pv.kubernetes.io/provisioned-by': PROVISIONER } },
    spec: {
      capacity: { storage: spec.resources?.requests?.['storage'] ?? '1Gi' },
      accessModes: spec.accessModes,
      volumeMode: spec.volumeMode ?? 'Filesystem',
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: spec.storageClassName,
      hostPath: { path },
      claimRef: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        namespace: metadata.namespace,
        name: metadata.name,
        uid: metadata.uid,
      },
    },
  };
}

const MAX_OVERWRITTEN = 4096;

async function overwriteMiddle(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    const { size } = await file.stat();
    const length = Math.min(MAX_OVERWRITTEN, Math.ceil(size / 2));
    const start = Math.floor((size - length) / 2);
    const bytes = Buffer.alloc(length);
    await file.read(bytes, 0, length, start);
    // Changes every byte, whatever its value.
    for (const [index, byte] of bytes.entries()) bytes[index] = byte ^ 0xa5;
    await file.write(bytes, 0, length, start);
  } finally {
    await file.close();
  }
}
