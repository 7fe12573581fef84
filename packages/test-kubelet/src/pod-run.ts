// The life of one pod on its node. node-pods.ts creates a PodRun when the pod is bound to this node, calls `update` for
// each change of its object, and `vanish` if the object is deleted from the API. `run` sets up the network and the
// volumes (tried until it succeeds), runs the init containers one after the other and then the main containers, cleans
// up, writes the final status, waits until the pod is deleted, and removes it from the API.
//
// Three signals end parts of it. `#stop` ends the pod: it is deleted, has failed (evicted, or past its deadline), or
// its node ends. `#stopSidecars` follows when all other containers have ended. `#vanished` means that the object is
// gone: all containers are killed, and no status is written.

import type { V1Container, V1Pod, V1ServiceAccount } from '@kubernetes/client-node';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep } from '../../../src/lib/sleep.ts';
import { at, insist, type Api } from './api.ts';
import type { Claims } from './claims.ts';
import { ContainerRun, type StartedContainer } from './container-run.ts';
import { containerSpec } from './container-spec.ts';
import { startContainer } from './container.ts';
import { recordEvents, type EventRecorder } from './event-recorder.ts';
import { replaceFile } from './files.ts';
import type { Image } from './image.ts';
import { hostnameOf, ownName } from './names.ts';
import type { KubeNode } from './node.ts';
import { accountOf } from './downward.ts';
import { policyOf, restartsAfter, type ContainerRecord, type PodRecord } from './pod-status.ts';
import { preparePodVolumes, type PodVolumes } from './pod-volumes.ts';
import { startSandbox, type PodSandbox } from './sandbox.ts';
import type { SlowDisks } from './slow-disk.ts';
import { StatusWriter } from './status-writer.ts';

/** Everything that all pods of a node share. */
export interface PodHost {
  readonly node: KubeNode;
  readonly api: Api;
  readonly claims: Claims;
  readonly images: Readonly<Record<string, Image>>;
  readonly ca: string;
  /** The environment variables with which containers find the API server. */
  readonly apiServerEnv: Readonly<Record<string, string>>;
  /** The lines of the hosts file that the pods of a namespace share. */
  readonly names: (namespace: string) => string;
  readonly disks: SlowDisks;
  /** Aborts at the end of the node. */
  readonly signal: AbortSignal;
}

const SET_UP_RETRY_MS = 500;
const EXCESS_POLL_MS = 1000;
/**
 * The interval between refreshes of the volumes: well below ten minutes, the shortest time for which a token is valid.
 */
const REFRESH_MS = 300_000;
const DEFAULT_GRACE_SECONDS = 30;

/** One pod on its node, from when it is bound until it is removed from the API. */
export class PodRun {
  readonly #host: PodHost;
  readonly #containers: readonly ContainerRun[];
  readonly #status: StatusWriter;
  readonly #events: EventRecorder;
  readonly #startTime = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  /** Ends the pod, except its sidecars, which run until the other containers have ended. */
  readonly #stop = new AbortController();
  readonly #stopSidecars = new AbortController();
  readonly #vanished = new AbortController();
  readonly #deleted = Promise.withResolvers<void>();
  #pod: V1Pod;
  #stopDeadline = Infinity;
  #failure: { readonly reason: string; readonly message: string } | undefined;
  #sandbox: PodSandbox | undefined;
  #address: string | undefined;
  #volumes: PodVolumes | undefined;
  /** Whether an object of a volume has changed since they were begun. */
  #hasChanged = false;
  #starts = 0;

  constructor(pod: V1Pod, host: PodHost) {
    this.#pod = pod;
    this.#host = host;
    this.#events = recordEvents(host.api, pod, host.node.name);
    this.#status = new StatusWriter(
      host.api,
      pod,
      () => this.#record(),
      AbortSignal.any([host.signal, this.#vanished.signal]),
    );
    const { initContainers = [], containers = [] } = pod.spec ?? {};
    this.#containers = [
      ...initContainers.map((spec) => this.#containerRun(spec, spec.restartPolicy === 'Always' ? 'sidecar' : 'init')),
      ...containers.map((spec) => this.#containerRun(spec, 'main')),
    ];
    host.signal.addEventListener('abort', () => this.#end(0), { once: true });
  }

  /** Its address; undefined while it has none. */
  get address(): string | undefined {
    return this.#sandbox?.address;
  }

  get sandbox(): PodSandbox | undefined {
    return this.#sandbox;
  }

  /** One of its containers, default the first main container; throws if there is none of that name. */
  container(name?: string): ContainerRun {
    const found = this.#containers.find((run) => (name === undefined ? run.role === 'main' : run.name === name));
    const names = this.#containers.map((run) => run.name).join(', ');
    if (found === undefined) throw new Error(`pod ${this.#pod.metadata?.name} has no container ${name}, but ${names}`);
    return found;
  }

  /** The ids, on this machine, of the first processes of its running containers. */
  processes(): readonly number[] {
    return this.#containers.map(({ running }) => running?.pid ?? 0).filter((pid) => pid !== 0);
  }

  /** Handles a change of the pod's object. */
  update(pod: V1Pod): void {
    this.#pod = pod;
    const { deletionTimestamp, deletionGracePeriodSeconds = DEFAULT_GRACE_SECONDS } = pod.metadata ?? {};
    if (deletionTimestamp !== undefined) {
      this.#end(deletionGracePeriodSeconds);
      this.#deleted.resolve();
    }
    // Conditions of the object may be readiness gates.
    if (pod.spec?.readinessGates !== undefined) this.#status.changed();
  }

  /** Handles the deletion of the pod's object: ends everything at once. */
  vanish(): void {
    this.#vanished.abort();
    this.#deleted.resolve();
    this.#end(0);
    for (const run of this.#containers) void run.kill();
  }

  /** Refreshes the volumes after a change of the ConfigMap or Secret `name`, if one may be made from it. */
  async objectChanged(name: string): Promise<void> {
    if (!JSON.stringify(this.#pod.spec?.volumes ?? []).includes(JSON.stringify(name))) return;
    this.#hasChanged = true;
    await this.#volumes?.refresh();
  }

  /** Writes the hosts file: the names that all pods of its namespace know, and its own. */
  writeNames(): void {
    if (this.#sandbox === undefined || this.#address === undefined) return;
    const { namespace = '' } = this.#pod.metadata ?? {};
    const aliases = (this.#pod.spec?.hostAliases ?? []).map(
      ({ ip, hostnames = [] }) => `${ip}\t${hostnames.join(' ')}`,
    );
    const lines = [this.#host.names(namespace), ownName(this.#pod, this.#address), ...aliases];
    replaceFile(join(this.#hostFolder, 'etc/hosts'), `${lines.join('\n')}\n`);
  }

  /** Runs the pod until it is removed from the API. */
  async run(): Promise<void> {
    try {
      this.#status.changed();
      if (await this.#setUp()) await this.#runContainers();
    } finally {
      await this.#tearDown();
    }
    this.#status.changed();
    await this.#status.flush();
    await Promise.race([this.#deleted.promise, aborted(this.#host.signal)]);
    await this.#remove();
  }

  get #folder(): string {
    return `pods/${this.#pod.metadata?.uid}`;
  }

  get #hostFolder(): string {
    return join(this.#host.node.hostFolder, this.#folder);
  }

  #record(): PodRecord {
    return {
      pod: this.#pod,
      containers: this.#containers.map(({ record }) => record),
      ...(this.#address !== undefined && { podIp: this.#address }),
      hostIp: this.#host.node.gateway,
      startTime: this.#startTime,
      ...(this.#failure !== undefined && { failure: this.#failure }),
      isStopping: this.#stop.signal.aborted,
    };
  }

  #containerRun(spec: V1Container, role: ContainerRecord['role']): ContainerRun {
    return new ContainerRun({
      spec,
      role,
      start: (onOutput) => this.#start(spec, onOutput),
      events: this.#events,
      podName: `${this.#pod.metadata?.name}_${this.#pod.metadata?.namespace}(${this.#pod.metadata?.uid})`,
      address: () => this.#address ?? '',
      onChange: () => this.#status.changed(),
      restarts: (exitCode) => this.#restarts(role, exitCode),
      graceSeconds: () => this.#graceSeconds(),
    });
  }

  #restarts(role: ContainerRecord['role'], exitCode: number): boolean {
    const policy = policyOf(this.#pod);
    // A sidecar always restarts, except at the end of the node.
    if (role === 'sidecar') return !this.#host.signal.aborted;
    if (role === 'init') return policy !== 'Never' && exitCode !== 0;
    return restartsAfter(policy, exitCode);
  }

  /** The rest of the pod's grace period; before its end, the whole grace period of its spec. */
  #graceSeconds(): number {
    if (this.#stopDeadline !== Infinity) return Math.max(0, (this.#stopDeadline - Date.now()) / 1000);
    return this.#pod.spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS;
  }

  #end(graceSeconds: number): void {
    this.#stopDeadline = Math.min(this.#stopDeadline, Date.now() + graceSeconds * 1000);
    this.#stop.abort();
    this.#status.changed();
  }

  #fail(reason: string, message: string, graceSeconds: number): void {
    this.#failure ??= { reason, message };
    this.#events.event('Warning', reason, message);
    this.#end(graceSeconds);
  }

  /** Sets up the network and the volumes, tried until it succeeds; returns false if the pod has to end before. */
  async #setUp(): Promise<boolean> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#prepare();
        return !signal.aborted;
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        this.#events.event('Warning', 'FailedMount', message);
        await sleep(SET_UP_RETRY_MS, signal);
      }
    }
    return false;
  }

  async #prepare(): Promise<void> {
    const { node, api, claims, ca } = this.#host;
    if (this.#sandbox === undefined) {
      const hostname = hostnameOf(this.#pod);
      await mkdir(join(this.#hostFolder, 'etc'), { recursive: true });
      await writeFile(join(this.#hostFolder, 'etc/hostname'), `${hostname}\n`);
      this.#sandbox = await startSandbox(node, hostname);
      this.#address = this.#sandbox.address;
    }
    this.writeNames();
    const pod = this.#pod;
    this.#hasChanged = false;
    this.#volumes = await preparePodVolumes({
      node,
      claims,
      folder: this.#folder,
      sources: { api, pod, ca, podIp: this.#address ?? '', hostIp: node.gateway },
      automount: await this.#automounts(),
    });
    // What changed while they were made may have been read before.
    if (this.#hasChanged) await this.#volumes.refresh();
  }

  async #automounts(): Promise<boolean> {
    const { namespace = '' } = this.#pod.metadata ?? {};
    const own = this.#pod.spec?.automountServiceAccountToken;
    if (own !== undefined) return own;
    const account = await this.#host.api.get<V1ServiceAccount>(at(namespace, 'serviceaccounts', accountOf(this.#pod)));
    if (account === undefined) throw new Error(`serviceaccount "${accountOf(this.#pod)}" not found`);
    return account.automountServiceAccountToken ?? true;
  }

  async #runContainers(): Promise<void> {
    const watchers = new AbortController();
    const watched = this.#watchLimits(AbortSignal.any([watchers.signal, this.#stop.signal]));
    const sidecars: Promise<unknown>[] = [];
    try {
      if (await this.#initialize(sidecars)) {
        const mains = this.#containers.filter(({ role }) => role === 'main');
        await Promise.all(mains.map((run) => run.supervise(this.#stop.signal)));
      }
    } finally {
      watchers.abort();
      if (this.#stopDeadline === Infinity) this.#stopDeadline = Date.now() + this.#graceSeconds() * 1000;
      this.#stopSidecars.abort();
      await Promise.all([...sidecars, watched]);
    }
  }

  /** Runs the init containers one after the other and starts the sidecars; returns false if the pod ends there. */
  async #initialize(sidecars: Promise<unknown>[]): Promise<boolean> {
    const inits = this.#containers.filter(({ role }) => role !== 'main');
    if (inits.length > 0) {
      for (const run of this.#containers) if (run.role === 'main') run.hold('PodInitializing');
    }
    for (const run of inits) {
      if (run.role === 'sidecar') {
        sidecars.push(run.supervise(this.#stopSidecars.signal));
        while (!run.record.started && !this.#stop.signal.aborted) await sleep(20, this.#stop.signal);
      } else if ((await run.supervise(this.#stop.signal)) !== 0) return false;
      if (this.#stop.signal.aborted) return false;
    }
    return true;
  }

  /**
   * Evicts the pod if a volume exceeds its limit, ends it at its deadline, and refreshes its volumes, so that its
   * tokens stay valid.
   */
  async #watchLimits(signal: AbortSignal): Promise<void> {
    const { activeDeadlineSeconds } = this.#pod.spec ?? {};
    const deadline = activeDeadlineSeconds === undefined ? Infinity : Date.now() + activeDeadlineSeconds * 1000;
    let refreshAt = Date.now() + REFRESH_MS;
    while (!signal.aborted) {
      if (Date.now() > refreshAt) {
        refreshAt = Date.now() + REFRESH_MS;
        await this.#volumes?.refresh();
      }
      await sleep(Math.min(EXCESS_POLL_MS, Math.max(0, deadline - Date.now())), signal);
      if (signal.aborted) return;
      const excess = await this.#volumes?.excess();
      if (excess !== undefined) this.#fail('Evicted', excess, 0);
      else if (Date.now() >= deadline) {
        this.#fail(
          'DeadlineExceeded',
          'Pod was active on the node longer than the specified deadline',
          this.#graceSeconds(),
        );
      }
    }
  }

  async #start(spec: V1Container, onOutput: (chunk: Uint8Array) => void): Promise<StartedContainer> {
    const { node } = this.#host;
    if (this.#sandbox === undefined || this.#volumes === undefined) throw new Error('a container without its pod');
    const last = `${this.#folder}/${spec.name}-${this.#starts++}`;
    const words = join(node.hostFolder, `${last}.message`);
    await writeFile(words, '');
    // Whatever the mask of this process: any user of a container may write there.
    await chmod(words, 0o666);
    const carriedOut = await containerSpec(spec, {
      host: this.#host,
      pod: this.#pod,
      podIp: this.#address ?? '',
      volumes: this.#volumes,
    });
    const { terminationMessagePath: path = '/dev/termination-log' } = spec;
    const container = await startContainer({
      ...carriedOut,
      node,
      sandboxPid: this.#sandbox.pid,
      folder: last,
      mounts: [
        { source: join(node.folder, this.#folder, 'etc'), target: '/etc/.pod', readOnly: true },
        { source: join(node.folder, `${last}.message`), target: path, readOnly: false },
        ...carriedOut.mounts,
      ],
      onOutput,
    });
    const { namespace, name } = this.#pod.metadata ?? {};
    if (container.pid !== 0) await this.#host.disks.started(`${namespace}/${name}`, container.pid);
    const terminationMessage = async (): Promise<string> => {
      const said = await readFile(words, 'utf8').catch(() => '');
      await rm(words, { force: true });
      return said.slice(-4096);
    };
    return { container, terminationMessage };
  }

  async #tearDown(): Promise<void> {
    // The end of the node deletes everything at once.
    if (this.#host.signal.aborted) return;
    const sandbox = this.#sandbox;
    this.#sandbox = undefined;
    await sandbox?.[Symbol.asyncDispose]();
    // From here on, no refresh may write to the volumes.
    const volumes = this.#volumes;
    this.#volumes = undefined;
    await volumes?.remove();
    await rm(this.#hostFolder, { recursive: true, force: true });
  }

  /** Removes the pod from the API; repeats that until the API server has done it. */
  async #remove(): Promise<void> {
    const { name = '', namespace = '', uid } = this.#pod.metadata ?? {};
    const { api, signal } = this.#host;
    const options = { gracePeriodSeconds: 0, preconditions: { uid } };
    await insist(
      () => api.remove(at(namespace, 'pods', name), options),
      AbortSignal.any([signal, this.#vanished.signal]),
    );
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
