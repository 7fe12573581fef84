import type { Cluster } from '../../../src/kube/credentials/cluster.ts';
import { createKubeClient } from '../../../src/kube/kube-client.ts';
import { openApiRelay } from './api-relay.ts';
import { apiOf, at, insist, type Api } from './api.ts';
import type { Container, ExecResult } from './container.ts';
import type { Image } from './image.ts';
import { openLogPort, type LogPortOptions } from './log-port.ts';
import { NodePods } from './node-pods.ts';
import { registerNode, unregisterNode } from './node-object.ts';
import { startNode, type KubeNode } from './node.ts';

/** The options of `startKubelet`. */
export interface KubeletOptions {
  /** A real control plane with the controller manager: the URL of its API server, and the CA certificate. */
  readonly plane: { readonly url: string; readonly ca: string };
  /** How to connect to it as a user with all rights. */
  readonly connect: () => Promise<Cluster>;
  /** Binds and runs only the pods of these namespaces. */
  readonly namespaces: readonly string[];
  /**
   * By the image name in the container's spec. A container with any other image waits with ErrImagePull, as on a real
   * node.
   */
  readonly images: Readonly<Record<string, Image>>;
  /** Of the port at which the API server reads logs, for `kubectl logs`; absent: there is none. */
  readonly certificate?: { readonly cert: string; readonly key: string };
}

/** A pod by its name. */
export type PodName = { readonly namespace: string; readonly name: string };

/** A node whose pods really run, as processes of this machine, and what a test can do to them. */
export interface Kubelet extends AsyncDisposable {
  /** Runs a command in a running container, as kubectl exec does. */
  exec(
    pod: PodName,
    command: readonly string[],
    options?: { readonly container?: string; readonly stdin?: string },
  ): Promise<ExecResult>;
  /** The output of a container over all its starts, newest last. */
  logs(pod: PodName, container?: string): Promise<string>;
  /** The pod's address, which the test's own process can reach too; undefined if it has none. */
  addressOf(pod: PodName): string | undefined;
  /**
   * Signals the first process of a container, or its processes whose command line matches; default SIGKILL. `reason`,
   * such as OOMKilled, replaces Error as the reason in the status of a container that ends by this signal.
   */
  kill(
    pod: PodName,
    options?: {
      readonly container?: string;
      readonly signal?: NodeJS.Signals;
      readonly process?: RegExp;
      readonly reason?: string;
    },
  ): Promise<void>;
  /** The folder of a PersistentVolumeClaim on this machine, for use with node:fs. */
  volumeOf(namespace: string, claim: string): string;
  /** Deletes everything in the volume of a claim. */
  wipe(namespace: string, claim: string): Promise<void>;
  /** Overwrites bytes in the middle of the volume's files whose path matches. */
  corrupt(namespace: string, claim: string, file: RegExp): Promise<void>;
  /** Leaves no space in the volume of a claim until the returned function is called. */
  fillDisk(namespace: string, claim: string): Promise<() => Promise<void>>;
  /** Cuts the pod off the network, while its processes keep running, until the returned function is called. */
  cutOff(pod: PodName): Promise<() => Promise<void>>;
  /** Limits what a pod sends to this many kilobits per second, until the returned function is called. */
  slowNetwork(pod: PodName, kilobits: number): Promise<() => Promise<void>>;
  /**
   * Loses what a pod sends to other pods of this node, while what they send arrives, until the returned function is
   * called.
   */
  mute(pod: PodName, others: readonly PodName[]): Promise<() => Promise<void>>;
  /**
   * Delays each fsync and fdatasync in a pod, also after restarts and in a new pod of that name, until the returned
   * function is called.
   */
  slowDisk(pod: PodName, delayMs: number): Promise<() => Promise<void>>;
}

/** How long the disposal waits for an unavailable API server to delete the node's objects. */
const GOODBYE_MS = 30_000;

/** Starts a node for the pods of some namespaces; disposing of it ends them and leaves nothing behind. */
export async function startKubelet(options: KubeletOptions): Promise<Kubelet> {
  const { plane, connect, namespaces, images } = options;
  await using parts = new AsyncDisposableStack();
  const client = createKubeClient(await connect(), { userAgent: 'kubelet' });
  parts.defer(async () => client.close());
  const node = parts.use(await startNode());
  const relay = parts.use(await openApiRelay(node.gateway, Number(new URL(plane.url).port)));
  const end = new AbortController();
  const pods = new NodePods({ node, api: apiOf(client, end.signal), images, ca: plane.ca, apiServerPort: relay.port });
  const { certificate } = options;
  const logs =
    certificate && parts.use(await openLogPort({ address: node.gateway, certificate, find: containerIn(pods) }));
  const heartbeat = await registerNode(apiOf(client, end.signal), node, logs?.port);
  const running = Promise.all([heartbeat(end.signal), ...namespaces.map((namespace) => pods.follow(namespace))]);
  const rest = parts.move();
  return {
    ...controlsOf(pods),
    async [Symbol.asyncDispose]() {
      await using _ = rest;
      end.abort();
      // This ends all processes of the pods.
      await node[Symbol.asyncDispose]();
      await running;
      await removeObjects(apiOf(client, AbortSignal.timeout(GOODBYE_MS)), node, pods);
      await pods.ended();
    },
  };
}

function containerIn(pods: NodePods): LogPortOptions['find'] {
  return (pod, container) => pods.get(pod).container(container);
}

function controlsOf(pods: NodePods): Omit<Kubelet, keyof AsyncDisposable> {
  const { claims } = pods;
  const running = (name: PodName, container?: string): Container => {
    const found = pods.get(name).container(container);
    if (found.running === undefined) {
      throw new Error(`container ${found.name} of pod ${name.namespace}/${name.name} does not run`);
    }
    return found.running;
  };
  return {
    exec: async (pod, command, { container, ...options } = {}) => running(pod, container).exec(command, options),
    logs: async (pod, container) => pods.get(pod).container(container).log.text(),
    addressOf: (pod) => pods.find(pod)?.address,
    kill: async (pod, { container, signal = 'SIGKILL', process, reason } = {}) => {
      if (reason !== undefined) pods.get(pod).container(container).willEndBy(reason);
      const count = await running(pod, container).signal(signal, process);
      if (count === 0) throw new Error(`no process in pod ${pod.namespace}/${pod.name} matches ${process}`);
    },
    volumeOf: (namespace, claim) => claims.pathOf(namespace, claim),
    wipe: async (namespace, claim) => claims.wipe(namespace, claim),
    corrupt: async (namespace, claim, file) => claims.corrupt(namespace, claim, file),
    fillDisk: async (namespace, claim) => claims.fill(namespace, claim),
    cutOff: async (pod) => {
      const { sandbox } = pods.get(pod);
      if (sandbox === undefined) throw new Error(`pod ${pod.namespace}/${pod.name} has no network yet`);
      await sandbox.setLink('down');
      return async () => {
        if (pods.find(pod)?.sandbox === sandbox) await sandbox.setLink('up');
      };
    },
    mute: async (pod, others) => {
      const { sandbox } = pods.get(pod);
      if (sandbox === undefined) throw new Error(`pod ${pod.namespace}/${pod.name} has no network yet`);
      // A pod without an address receives nothing anyway.
      const addresses = others.map((other) => pods.find(other)?.address).filter((address) => address !== undefined);
      for (const address of addresses) await sandbox.lose(address, 'lost');
      return async () => {
        // If the pod was replaced, there is nothing to undo.
        if (pods.find(pod)?.sandbox !== sandbox) return;
        for (const address of addresses) await sandbox.lose(address, 'sent');
      };
    },
    slowNetwork: async (pod, kilobits) => {
      const { sandbox } = pods.get(pod);
      if (sandbox === undefined) throw new Error(`pod ${pod.namespace}/${pod.name} has no network yet`);
      await sandbox.setRate(kilobits);
      return async () => sandbox.setRate(undefined);
    },
    slowDisk: async (pod, delayMs) => pods.slowDisk(pod, delayMs),
  };
}

/** Removes the node, its pods and its volumes from the cluster, so that no controller waits for them. */
async function removeObjects(api: Api, node: KubeNode, pods: NodePods): Promise<void> {
  for (const { metadata = {} } of pods.known()) {
    const { namespace = '', name = '', uid } = metadata;
    const options = { gracePeriodSeconds: 0, preconditions: { uid } };
    await insist(() => api.remove(at(namespace, 'pods', name), options), api.signal);
  }
  await pods.claims.removeVolumes(api);
  await insist(async () => unregisterNode(api, node.name), api.signal);
}
