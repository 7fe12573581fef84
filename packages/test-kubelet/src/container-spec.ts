import type { V1ConfigMap, V1Container, V1Pod, V1Secret } from '@kubernetes/client-node';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { at } from './api.ts';
import { ContainerConfigError } from './container-run.ts';
import { homeOf, userOf } from './container-user.ts';
import type { ContainerSpec, Mount } from './container.ts';
import { environmentOf, expand, type EnvironmentSources } from './environment.ts';
import type { Image } from './image.ts';
import { hostnameOf } from './names.ts';
import { configMapData, secretData } from './object-files.ts';
import type { PodHost } from './pod-run.ts';
import type { PodVolumes } from './pod-volumes.ts';

const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The parts of a pod and its node that a container's start depends on. */
export interface ContainerSurroundings {
  readonly host: PodHost;
  readonly pod: V1Pod;
  readonly podIp: string;
  readonly volumes: PodVolumes;
}

/** The part of a ContainerSpec that is derived from the container's own spec and its image. */
export type CarriedOut = Pick<ContainerSpec, 'command' | 'env' | 'workingDir' | 'mounts' | 'user' | 'readOnlyRoot'>;

/** Derives this part from a container's spec; throws `ContainerConfigError` if that is not possible at the moment. */
export async function containerSpec(spec: V1Container, surroundings: ContainerSurroundings): Promise<CarriedOut> {
  const image = surroundings.host.images[spec.image ?? ''];
  if (image === undefined) {
    const known = Object.keys(surroundings.host.images).join(', ');
    throw new ContainerConfigError('ErrImagePull', `no image ${spec.image} on this machine; there are ${known}`);
  }
  try {
    return await carryOut(spec, image, surroundings);
  } catch (error) {
    if (error instanceof ContainerConfigError) throw error;
    throw new ContainerConfigError(
      'CreateContainerConfigError',
      error instanceof Error ? error.message : String(error),
    );
  }
}

async function carryOut(spec: V1Container, image: Image, surroundings: ContainerSurroundings): Promise<CarriedOut> {
  const { host, pod, volumes } = surroundings;
  const user = userOf(spec, pod.spec ?? { containers: [] });
  const base = { HOME: homeOf(user.uid), HOSTNAME: hostnameOf(pod), ...host.apiServerEnv, ...image.env };
  const own = await environmentOf(spec, base, sources(surroundings));
  const programs = await Promise.all(image.programs.map(programMount));
  const path = [own['PATH'], ...programs.map(({ target }) => target), DEFAULT_PATH];
  const { volumeMounts = [], workingDir = '/', securityContext = {} } = spec;
  return {
    command: commandOf(spec, image).map((word) => expand(word, own)),
    env: { ...own, PATH: path.filter((part) => part !== undefined).join(':') },
    workingDir,
    mounts: [...programs, ...filesOf(image), ...(await volumes.mountsOf(volumeMounts, own))],
    user,
    readOnlyRoot: securityContext.readOnlyRootFilesystem ?? false,
  };
}

function commandOf(
  { image: name, command, args }: V1Container,
  { entrypoint = [], cmd = [] }: Image,
): readonly string[] {
  const words = [...(command ?? entrypoint), ...(args ?? (command === undefined ? cmd : []))];
  if (words.length > 0) return words;
  throw new ContainerConfigError('CreateContainerError', `no command specified, and image ${name} has none`);
}

function filesOf({ files = {} }: Image): readonly Mount[] {
  return Object.entries(files).map(([target, source]) => ({ source, target, readOnly: true }));
}

function sources({ host: { api, node }, pod, podIp }: ContainerSurroundings): EnvironmentSources {
  const namespace = pod.metadata?.namespace ?? '';
  return {
    pod,
    podIp,
    hostIp: node.gateway,
    configMap: async (name) => {
      const found = await api.get<V1ConfigMap>(at(namespace, 'configmaps', name));
      return found && texts(configMapData(found));
    },
    secret: async (name) => {
      const found = await api.get<V1Secret>(at(namespace, 'secrets', name));
      return found && texts(secretData(found));
    },
  };
}

function texts(data: Readonly<Record<string, Uint8Array>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('utf8')]));
}

/** A folder of programs is mounted at its own path, unless other users than root cannot reach that path. */
async function programMount(source: string, index: number): Promise<Mount> {
  const target = (await isOpen(source)) ? source : `/programs/${index}`;
  return { source, target, readOnly: true };
}

async function isOpen(folder: string): Promise<boolean> {
  const { mode } = await stat(folder);
  if ((mode & 0o001) === 0) return false;
  return folder === dirname(folder) || isOpen(dirname(folder));
}
