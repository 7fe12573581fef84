import type { V1ConfigMap, V1PersistentVolumeClaim, V1Pod, V1Secret, V1Service } from '@kubernetes/client-node';
import type { Api } from './api.ts';
import { Claims } from './claims.ts';
import { follow, type Followed } from './follow.ts';
import type { Image } from './image.ts';
import { serviceNames } from './names.ts';
import type { KubeNode } from './node.ts';
import { PodRun, type PodHost } from './pod-run.ts';
import { Scheduler } from './scheduler.ts';
import { SlowDisks } from './slow-disk.ts';

/** The node, its API and the images for its pods. */
export interface NodePodsOptions {
  readonly node: KubeNode;
  readonly api: Api;
  readonly images: Readonly<Record<string, Image>>;
  readonly ca: string;
  /** The port of the API server at the node's gateway. */
  readonly apiServerPort: number;
}

/** The pods of a node, with the claims and names that they use: makes processes of what the API server has. */
export class NodePods {
  readonly claims: Claims;
  readonly #options: NodePodsOptions;
  readonly #host: PodHost;
  readonly #scheduler: Scheduler;
  readonly #pods = new Map<string, V1Pod>();
  readonly #runs = new Map<string, PodRun>();
  readonly #services = new Map<string, V1Service>();
  readonly #work = new Set<Promise<void>>();
  readonly #problems: unknown[] = [];
  #areNamesDue = false;

  constructor(options: NodePodsOptions) {
    const { node, api, images, ca, apiServerPort } = options;
    this.#options = options;
    this.claims = new Claims(node, api, () => this.#do(this.#scheduler.retry()));
    this.#scheduler = new Scheduler(api, this.claims, node.name);
    const port = String(apiServerPort);
    this.#host = {
      node,
      api,
      claims: this.claims,
      images,
      ca,
      // The certificate of the API server has this name, but not that of the node's gateway.
      apiServerEnv: {
        KUBERNETES_SERVICE_HOST: 'kubernetes.default.svc',
        KUBERNETES_SERVICE_PORT: port,
        KUBERNETES_SERVICE_PORT_HTTPS: port,
      },
      names: (namespace) => this.#namesOf(namespace),
      disks: new SlowDisks(),
      signal: api.signal,
    };
  }

  /** Follows the objects of a namespace until the end of the node. */
  async follow(namespace: string): Promise<void> {
    const { client, signal } = this.#options.api;
    const watch = <T>(kind: string, plural: string, on: Pick<Followed<T>, 'onApply' | 'onDelete'>): Promise<void> =>
      follow<T>(client, { kind, plural, namespace, ...on }, signal);
    const changed = ({ metadata }: V1ConfigMap | V1Secret): void => this.#objectChanged(metadata?.name ?? '');
    await Promise.all([
      watch<V1PersistentVolumeClaim>('PersistentVolumeClaim', 'persistentvolumeclaims', {
        onApply: (claim) => this.#do(this.claims.apply(claim)),
        onDelete: (claim) => this.#do(this.claims.remove(claim)),
      }),
      watch<V1Service>('Service', 'services', {
        onApply: (service) => this.#keep(this.#services, service),
        onDelete: (service) => this.#drop(this.#services, service),
      }),
      watch<V1ConfigMap>('ConfigMap', 'configmaps', { onApply: changed, onDelete: changed }),
      watch<V1Secret>('Secret', 'secrets', { onApply: changed, onDelete: changed }),
      watch<V1Pod>('Pod', 'pods', {
        onApply: (pod) => this.#applyPod(pod),
        onDelete: (pod) => this.#deletePod(pod),
      }),
    ]);
  }

  /** The pod of that name; undefined if it does not run here. */
  find({ namespace, name }: { readonly namespace: string; readonly name: string }): PodRun | undefined {
    const pod = [...this.#pods.values()].find(
      ({ metadata }) => metadata?.namespace === namespace && metadata.name === name,
    );
    return this.#runs.get(pod?.metadata?.uid ?? '');
  }

  /** The pod of that name; throws if it does not run here. */
  get(name: { readonly namespace: string; readonly name: string }): PodRun {
    const found = this.find(name);
    if (found === undefined) throw new Error(`no pod ${name.namespace}/${name.name} on this node`);
    return found;
  }

  /** Slows down the disk of a pod, and of later pods of its name; the returned function undoes that. */
  async slowDisk(name: { readonly namespace: string; readonly name: string }, delayMs: number) {
    return this.#host.disks.slow(`${name.namespace}/${name.name}`, delayMs, this.get(name).processes());
  }

  /** The pods that are bound to this node. */
  known(): readonly V1Pod[] {
    return [...this.#pods.values()].filter(({ metadata }) => this.#runs.has(metadata?.uid ?? ''));
  }

  /** Returns when all work has ended; throws what failed unexpectedly. */
  async ended(): Promise<void> {
    await Promise.all(this.#work);
    const problems = [...new Set(this.#problems.map(String))].join('; ');
    if (problems !== '') throw new AggregateError(this.#problems, `the kubelet failed: ${problems}`);
  }

  #objectChanged(name: string): void {
    for (const run of this.#runs.values()) this.#do(run.objectChanged(name));
  }

  #applyPod(pod: V1Pod): void {
    const uid = pod.metadata?.uid ?? '';
    this.#keep(this.#pods, pod);
    this.#do(this.#scheduler.apply(pod));
    const run = this.#runs.get(uid);
    if (run !== undefined) run.update(pod);
    else if (pod.spec?.nodeName === this.#options.node.name) this.#startPod(uid, pod);
  }

  #startPod(uid: string, pod: V1Pod): void {
    const run = new PodRun(pod, this.#host);
    this.#runs.set(uid, run);
    run.update(pod);
    this.#do(run.run());
  }

  #deletePod(pod: V1Pod): void {
    const uid = pod.metadata?.uid ?? '';
    this.#drop(this.#pods, pod);
    this.#scheduler.remove(pod);
    this.#runs.get(uid)?.vanish();
    this.#runs.delete(uid);
  }

  #keep<T extends V1Pod | V1Service>(map: Map<string, T>, object: T): void {
    map.set(object.metadata?.uid ?? '', object);
    this.#writeNames();
  }

  #drop<T extends V1Pod | V1Service>(map: Map<string, T>, object: T): void {
    map.delete(object.metadata?.uid ?? '');
    this.#writeNames();
  }

  #namesOf(namespace: string): string {
    return serviceNames(namespace, {
      services: this.#services.values(),
      pods: this.#pods.values(),
      apiServer: this.#options.node.gateway,
    });
  }

  /** Writes the names once for all changes that arrive together. */
  #writeNames(): void {
    if (this.#areNamesDue) return;
    this.#areNamesDue = true;
    setImmediate(() => {
      this.#areNamesDue = false;
      if (this.#options.api.signal.aborted) return;
      for (const run of this.#runs.values()) run.writeNames();
    });
  }

  #do(work: Promise<void>): void {
    const done = work
      .catch((error: unknown) => {
        // At the end of the node, everything under way fails.
        if (!this.#options.api.signal.aborted) this.#problems.push(error);
      })
      .finally(() => this.#work.delete(done));
    this.#work.add(done);
  }
}
