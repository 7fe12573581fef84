import type { V1Volume, V1VolumeMount } from '@kubernetes/client-node';
import { chmod, mkdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Claims } from './claims.ts';
import type { Mount } from './container.ts';
import { expand } from './environment.ts';
import { writeVolume, type VolumeFile } from './files.ts';
import type { KubeNode } from './node.ts';
import { credentialFiles, CREDENTIALS_PATH, objectFiles, type ObjectSources } from './object-files.ts';
import { quantity } from './quantity.ts';

/** The volumes of a pod on its node. */
export interface PodVolumes {
  /** The mounts of a container. */
  mountsOf(mounts: readonly V1VolumeMount[], env: Readonly<Record<string, string>>): Promise<readonly Mount[]>;
  /** Writes the files again that are made from objects; a volume whose objects cannot be read now stays as it is. */
  refresh(): Promise<void>;
  /** Why the pod must be evicted: an emptyDir exceeds its limit; undefined if none does. */
  excess(): Promise<string | undefined>;
  remove(): Promise<void>;
}

/** The options of `preparePodVolumes`. */
export interface PodVolumeOptions {
  readonly node: KubeNode;
  readonly claims: Claims;
  /** The folder of the pod, relative to the node's folder. */
  readonly folder: string;
  readonly sources: ObjectSources;
  /** Whether the pod gets the credentials of its ServiceAccount. */
  readonly automount: boolean;
}

/** Makes the volumes of a pod; throws if that is not possible at the moment. */
export async function preparePodVolumes(options: PodVolumeOptions): Promise<PodVolumes> {
  const { pod } = options.sources;
  const made = new Map<string, Made>();
  for (const volume of pod.spec?.volumes ?? []) made.set(volume.name, await make(volume, options));
  const credentials = options.automount ? await makeCredentials(options) : undefined;
  const all = [...made.values(), ...(credentials === undefined ? [] : [credentials])];
  let refreshed = Promise.resolve();
  return {
    mountsOf: async (mounts, env) => {
      const found = await Promise.all(mounts.map((mount) => mountOf(mount, made.get(mount.name), env)));
      const hasOwn = mounts.some(({ mountPath }) => mountPath === CREDENTIALS_PATH);
      const own = credentials === undefined || hasOwn ? [] : [asMount(credentials, CREDENTIALS_PATH)];
      // A mount inside another one must come after it.
      return [...found, ...own].toSorted((a, b) => a.target.length - b.target.length);
    },
    refresh: async () => {
      // One refresh at a time, as both would write the same links.
      refreshed = refreshed.then(async () => {
        for (const { refresh } of all) await refresh?.().catch(() => {});
      });
      await refreshed;
    },
    excess: async () => {
      const problems = await Promise.all(
        [...made].map(async ([name, { limit, hostPath }]) => excessOf(name, hostPath, limit)),
      );
      return problems.find((problem) => problem !== undefined);
    },
    remove: async () => {
      await refreshed;
      for (const { path, isMounted } of all) if (isMounted) await options.node.run('umount -l "$1"', path);
    },
  };
}

/** A volume that was made. */
interface Made {
  /** The path as the processes of the node see it. */
  readonly path: string;
  readonly hostPath: string;
  readonly readOnly: boolean;
  readonly isMounted?: boolean;
  /** The number of bytes above which the pod is evicted. */
  readonly limit?: number;
  readonly refresh?: () => Promise<void>;
}

async function make(volume: V1Volume, options: PodVolumeOptions): Promise<Made> {
  const { persistentVolumeClaim, ephemeral, emptyDir, hostPath } = volume;
  if (persistentVolumeClaim !== undefined) {
    return claimed(persistentVolumeClaim.claimName, persistentVolumeClaim.readOnly ?? false, options);
  }
  if (ephemeral !== undefined) return claimed(`${options.sources.pod.metadata?.name}-${volume.name}`, false, options);
  if (emptyDir !== undefined) return empty(volume, options);
  if (hostPath !== undefined) return { path: hostPath.path, hostPath: hostPath.path, readOnly: false };
  const make = async (): Promise<readonly VolumeFile[] | undefined> => objectFiles(volume, options.sources);
  if ((await make()) === undefined) throw new Error(`a volume is of a type unknown here: ${JSON.stringify(volume)}`);
  return fromObjects(volume.name, options, async () => (await make()) ?? []);
}

async function makeCredentials(options: PodVolumeOptions): Promise<Made> {
  return fromObjects('kube-api-access', options, async () => credentialFiles(options.sources));
}

async function fromObjects(
  name: string,
  options: PodVolumeOptions,
  files: () => Promise<readonly VolumeFile[]>,
): Promise<Made> {
  const place = placeOf(name, options);
  const group = options.sources.pod.spec?.securityContext?.fsGroup;
  const refresh = async (): Promise<void> => writeVolume(place.hostPath, await files(), group);
  await refresh();
  return { ...place, readOnly: true, refresh };
}

async function claimed(name: string, readOnly: boolean, options: PodVolumeOptions): Promise<Made> {
  const { node, claims, sources } = options;
  const namespace = sources.pod.metadata?.namespace ?? '';
  const folder = claims.folderOf(namespace, name);
  const place = { path: join(node.folder, folder), hostPath: join(node.hostFolder, folder) };
  await giveToGroup(place, options);
  return { ...place, readOnly };
}

async function empty({ name, emptyDir = {} }: V1Volume, options: PodVolumeOptions): Promise<Made> {
  const place = placeOf(name, options);
  const { medium, sizeLimit } = emptyDir;
  await mkdir(place.hostPath, { recursive: true });
  await chmod(place.hostPath, 0o777);
  const limit = sizeLimit === undefined ? undefined : quantity(sizeLimit);
  const isMounted = medium === 'Memory' || limit !== undefined;
  if (isMounted) {
    // In memory, the limit is the size of the file system; on a disk, more can be written, and the pod is evicted.
    const size = medium === 'Memory' && limit !== undefined ? `,size=${limit}` : '';
    await options.node.run('mount -t tmpfs -o "mode=777$2" volume "$1"', place.path, size);
  }
  await giveToGroup(place, options);
  return { ...place, readOnly: false, isMounted, ...(limit !== undefined && medium !== 'Memory' && { limit }) };
}

function placeOf(name: string, { node, folder }: PodVolumeOptions): Pick<Made, 'path' | 'hostPath'> {
  const place = join(folder, 'volumes', name);
  return { path: join(node.folder, place), hostPath: join(node.hostFolder, place) };
}

async function giveToGroup(
  { path, hostPath }: Pick<Made, 'path' | 'hostPath'>,
  options: PodVolumeOptions,
): Promise<void> {
  const { fsGroup, fsGroupChangePolicy } = options.sources.pod.spec?.securityContext ?? {};
  if (fsGroup === undefined) return;
  const { gid } = await stat(hostPath);
  if (fsGroupChangePolicy === 'OnRootMismatch' && gid === fsGroup) return;
  await options.node.run(GIVE_TO_GROUP, path, String(fsGroup));
}

const GIVE_TO_GROUP = 'chgrp -R "$2" "$1"; chmod -R g+rwX "$1"; find "$1" -type d -exec chmod g+s {} +';

async function mountOf(
  mount: V1VolumeMount,
  made: Made | undefined,
  env: Readonly<Record<string, string>>,
): Promise<Mount> {
  if (made === undefined) throw new Error(`volume ${mount.name} is mounted, but the pod has no such volume`);
  const subPath = mount.subPath ?? (mount.subPathExpr === undefined ? '' : expand(mount.subPathExpr, env));
  if (subPath !== '' && !made.readOnly) await mkdir(join(made.hostPath, subPath), { recursive: true }).catch(isThere);
  const readOnly = made.readOnly || mount.readOnly === true;
  return { source: join(made.path, subPath), target: mount.mountPath, readOnly };
}

function isThere(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'EEXIST') throw error;
  return undefined;
}

function asMount({ path, readOnly }: Made, target: string): Mount {
  return { source: path, target, readOnly };
}

async function excessOf(name: string, hostPath: string, limit: number | undefined): Promise<string | undefined> {
  if (limit === undefined) return undefined;
  const { blocks, bfree, bsize } = await statfs(hostPath);
  const used = (blocks - bfree) * bsize;
  return used > limit ? `Usage of EmptyDir volume "${name}" exceeds the limit "${limit}".` : undefined;
}
