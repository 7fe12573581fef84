import { dirname } from 'node:path';
import type { V1Container, V1Pod, V1PodSpec } from '@kubernetes/client-node';
import { expect, onTestFinished } from 'vitest';
import { connectAs, handsOn, until, type Hands } from '../../../test/cluster/operator-rig.ts';
import type { SharedControlPlane } from '../../../test/cluster/shared-control-plane.ts';
import type { Image } from '../src/image.ts';
import { startKubelet, type Kubelet, type PodName } from '../src/kubelet.ts';

/** A namespace whose pods run, for the test that runs now. */
export interface KubeletRig {
  readonly kubelet: Kubelet;
  readonly hands: Hands;
  readonly namespace: string;
  /** Makes an object in the namespace. */
  readonly create: (resource: string, object: object) => Promise<void>;
  readonly get: <T>(resource: string, name: string) => Promise<T>;
  readonly list: <T>(resource: string) => Promise<readonly T[]>;
  readonly remove: (resource: string, name: string) => Promise<void>;
  readonly nameOf: (pod: string) => PodName;
  /** Waits until a pod is as `expected`, and returns it as it was then. */
  readonly podIs: (name: string, expected: object) => Promise<V1Pod>;
  /** Ends the kubelet before the end of the test. */
  readonly end: () => Promise<void>;
}

/** What a container of the image `tools` has: the programs of this machine, and this Node. */
export const TOOLS: Readonly<Record<string, Image>> = { tools: { programs: [dirname(process.execPath)] } };

/** Starts a kubelet for a namespace of its own; both go with the test. */
export async function kubeletRig(
  plane: SharedControlPlane,
  images: Readonly<Record<string, Image>> = TOOLS,
): Promise<KubeletRig> {
  const hands = await handsOn(plane);
  const { namespace } = hands;
  const kubelet = await startKubelet({ plane, connect: connectAs(plane, 'admin'), namespaces: [namespace], images });
  let ended: Promise<void> | undefined;
  const end = async (): Promise<void> => (ended ??= Promise.resolve(kubelet[Symbol.asyncDispose]()));
  onTestFinished(end);
  const path = (resource: string, name?: string): string => {
    const [plural = '', group = ''] = resource.split('.');
    const root = group === '' ? '/api/v1' : `/apis/${GROUPS[group] ?? group}/v1`;
    return [root, 'namespaces', namespace, plural, ...(name === undefined ? [] : [name])].join('/');
  };
  const get = async <T>(resource: string, name: string): Promise<T> =>
    (await hands.call('GET', path(resource, name))) as T;
  return {
    kubelet,
    hands,
    namespace,
    create: async (resource, object) => void (await hands.call('POST', path(resource), object)),
    get,
    list: async <T>(resource: string) =>
      ((await hands.call('GET', path(resource))) as { readonly items: readonly T[] }).items,
    remove: async (resource, name) => void (await hands.call('DELETE', path(resource, name))),
    nameOf: (name) => ({ namespace, name }),
    podIs: async (name, expected) => {
      let pod: V1Pod = {};
      await until(async () => {
        pod = await get<V1Pod>('pods', name);
        expect(pod).toMatchObject(expected);
      });
      return pod;
    },
    end,
  };
}

/** A pod of one container that runs a script with bash. */
export function scriptPod(
  name: string,
  script: string,
  { container = {}, spec = {} }: { readonly container?: Partial<V1Container>; readonly spec?: Partial<V1PodSpec> } = {},
): object {
  return {
    metadata: { name, labels: { app: name } },
    spec: { terminationGracePeriodSeconds: 1, ...spec, containers: [scriptContainer(script, container)] },
  };
}

/** A container that runs a script with bash. */
export function scriptContainer(script: string, fields: Partial<V1Container> = {}): V1Container {
  return { name: 'main', image: 'tools', command: ['bash', '-c', script], ...fields };
}

/** What a container does that has nothing to do; it ends when it is told to. */
export const IDLE = 'trap "exit 0" TERM; sleep infinity & wait';

export const RUNNING = { status: { phase: 'Running' } };
export const READY = {
  status: { conditions: expect.arrayContaining([expect.objectContaining({ type: 'Ready', status: 'True' })]) },
};

const GROUPS: Readonly<Record<string, string>> = { rbac: 'rbac.authorization.k8s.io' };
