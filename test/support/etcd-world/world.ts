import type { KubernetesObject, NewObject, ReconcileAnswer } from 'hooklet';
import type { ClusterSpec, ClusterStatus } from '../../../examples/300-etcd/hooks/lib/cluster.ts';
import type { Save } from '../../../examples/300-etcd/hooks/lib/act.ts';
import { turn } from '../../../examples/300-etcd/hooks/lib/turn.ts';
import { Members } from './members.ts';
import { Violation, type Disk } from './process.ts';
import { asSeen, clusterOf, type Stored } from './as-seen.ts';
import { containerOf } from './container.ts';
import { clientTls, refresh, startingTls } from './tls.ts';

const TICK_MS = 5000;
/** A kubelet brings what Secrets have this often. */
const MOUNT_TICKS = 4;

/** The operator ends after an effect, before anything else. */
class Crash extends Error {}

/** How the Pod of a member is: of which generation of its StatefulSet, and what ails it. */
interface Pod {
  generation: number;
  says: string | undefined;
}

/** Kubernetes and etcd around one EtcdCluster, in virtual time: a tick is five seconds. */
export class EtcdWorld {
  readonly etcd = new Members();
  readonly objects = new Map<string, Stored>();
  readonly writes: string[] = [];
  readonly events: string[] = [];
  /** The reasons of the condition Ready, as they came. */
  readonly reasons: string[] = [];
  readonly messages: string[] = [];
  /** Images that cannot be pulled. */
  readonly badImages = new Set<string>();
  /** Members whose Pods find no node. */
  readonly away = new Set<string>();
  readonly saved: string[] = [];
  status: ClusterStatus = {};
  /** Of the EtcdCluster, as the operator sees it. */
  deletionTimestamp: string | undefined;
  /** What the API server does not take; then nothing of an answer is written. */
  refuses: (given: NewObject) => boolean = () => false;
  /** What the hook keeps for its next run. */
  state: unknown = null;
  spec: ClusterSpec;
  /** Secrets of the user. */
  given: readonly KubernetesObject[] = [];
  nowMs = Date.parse('2026-01-01T00:00:00Z');
  #ticks = 0;
  /** What Jobs come to, where they do not succeed at once. */
  jobs: 'done' | 'failed' | 'running' = 'done';
  readonly #pods = new Map<string, Pod>();
  readonly #disks = new Map<string, Disk>();
  readonly #doneJobs = new Set<string>();
  #uids = 0;
  #effects = 0;
  #crashAt = 0;
  #thrown: Error | undefined;
  #staleFrom: readonly KubernetesObject[] | undefined;

  constructor(spec: ClusterSpec) {
    this.spec = spec;
  }

  get effects(): number {
    return this.#effects;
  }

  /** The operator ends after this effect, counted from the beginning. */
  crashAfter(effect: number): void {
    this.#crashAt = effect;
  }

  /** What Kubernetes has now is all that the next turns see of it. */
  freezeView(): void {
    this.#staleFrom = this.#view();
  }

  thawView(): void {
    this.#staleFrom = undefined;
  }

  names(): readonly string[] {
    return this.etcd.list.map(({ name }) => name);
  }

  voters(): number {
    return this.etcd.list.filter(({ isLearner }) => !isLearner).length;
  }

  /** Ends the process of a member, which Kubernetes starts again. */
  kill(name: string): void {
    this.etcd.stop(name);
    this.#pods.delete(name);
  }

  loseDisk(name: string): void {
    this.kill(name);
    const claim = this.objects.get(`PersistentVolumeClaim/data-${name}`);
    if (claim !== undefined) this.#disks.set(claim.uid, {});
  }

  /** Time passes until it holds; fails with what was going on last. */
  async until(holds: () => boolean, most = 400): Promise<void> {
    for (let ticks = 0; ticks < most; ticks++) {
      if (holds()) return;
      await this.step();
    }
    throw new Error(`not in ${most} ticks: ${this.messages.at(-1)}; members ${this.names().join(', ')}`);
  }

  async rests(most?: number): Promise<void> {
    await this.step();
    await this.until(() => this.reasons.at(-1) === 'AllWell', most);
  }

  /** One run of the operator, and a tick. */
  async step(): Promise<void> {
    this.#thrown = undefined;
    try {
      await this.#run();
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      this.reasons.push('Crashed');
    }
    this.tick();
  }

  tick(): void {
    this.nowMs += TICK_MS;
    this.#ticks += 1;
    this.etcd.nowMs = this.nowMs;
    this.#mount();
    for (const [key, stored] of this.objects) if (key.startsWith('StatefulSet/')) this.#runPod(key.slice(12), stored);
    for (const [key, { uid }] of this.objects) if (key.startsWith('Job/')) this.#runJob(uid);
    for (const name of this.#pods.keys()) {
      if (this.objects.has(`StatefulSet/${name}`)) continue;
      this.kill(name);
    }
    this.etcd.tick();
  }

  async #run(): Promise<void> {
    const save: Save = async ({ endpoint }) => {
      this.saved.push(endpoint);
      this.#effect('save');
    };
    const secret = this.objects.get('Secret/etcd-client-tls')?.given;
    this.etcd.client = clientTls(secret);
    this.etcd.nowMs = this.nowMs;
    const etcd = this.etcd.port((what) => this.#effect(what));
    const answer = await turn({
      object: clusterOf(this),
      owned: this.#owned(),
      etcd,
      save,
      state: this.state,
      nowMs: this.nowMs + this.etcd.aheadMs,
      given: this.given,
    });
    // The hook may have caught it as a failure of etcd.
    if (this.#thrown !== undefined) throw this.#thrown;
    if (answer.state !== undefined) {
      this.state = answer.state;
      this.#effect('write state');
    }
    this.#hear(answer);
    if (answer.children !== undefined) this.#apply(answer.children as readonly NewObject[]);
    const status = { ...this.status, ...answer.status, conditions: answer.conditions ?? [] };
    if (JSON.stringify(status) === JSON.stringify(this.status)) return;
    this.status = status;
    this.#effect('write status');
  }

  #owned(): Readonly<Record<string, readonly KubernetesObject[]>> {
    const groups = Map.groupBy(this.#staleFrom ?? this.#view(), ({ kind }) => KINDS[kind] ?? kind);
    return Object.fromEntries(groups);
  }

  #hear({ conditions = [], events = [] }: ReconcileAnswer): void {
    const ready = conditions.find(({ type }) => type === 'Ready');
    this.reasons.push(ready?.reason ?? '');
    this.messages.push(ready?.message ?? '');
    for (const { reason, message } of events) this.events.push(`${reason}: ${message}`);
  }

  #apply(children: readonly NewObject[]): void {
    if (children.some((child) => this.refuses(child))) return;
    const wanted = new Map(children.map((child) => [`${child.kind}/${child.metadata.name}`, child]));
    for (const [key, given] of wanted) this.#applyOne(key, given);
    const seen = new Set((this.#staleFrom ?? this.#view()).map(({ metadata }) => metadata.uid));
    for (const [key, { uid }] of this.objects) {
      // What the operator has not seen it cannot delete.
      if (wanted.has(key) || !seen.has(uid)) continue;
      this.#guardLive(key);
      this.objects.delete(key);
      this.#effect(`delete ${key}`);
    }
  }

  #applyOne(key: string, given: NewObject): void {
    const there = this.objects.get(key);
    if (there !== undefined && JSON.stringify(there.given) === JSON.stringify(given)) return;
    const { uid = `uid-${(this.#uids += 1)}`, generation = 0 } = there ?? {};
    this.objects.set(key, { uid, given, generation: generation + 1 });
    this.#effect(`apply ${key}`);
  }

  #guardLive(key: string): void {
    const name = key.replace(/^[^/]*\/(data-)?/, '');
    if (this.names().includes(name)) throw new Violation(`${key} is deleted, but ${name} is a member`);
  }

  #effect(what: string): void {
    this.#effects += 1;
    this.writes.push(what);
    const learners = this.etcd.list.filter(({ isLearner }) => isLearner);
    if (learners.length > 1) this.#thrown = new Violation('two learners at once');
    if (this.#effects === this.#crashAt) this.#thrown = new Crash(what);
    if (this.#thrown !== undefined) throw this.#thrown;
  }

  /** Restores the disk of the first member, once, where nothing is. */
  #runJob(uid: string): void {
    if (this.jobs !== 'done' || this.#doneJobs.has(uid)) return;
    const claim = this.objects.get('PersistentVolumeClaim/data-etcd-0');
    if (claim === undefined) return;
    if (this.#disks.get(claim.uid)?.memberId !== undefined) throw new Violation('a snapshot is restored over data');
    this.#disks.set(claim.uid, {
      memberId: this.etcd.restore(
        'etcd-0',
        `${this.spec.tls === undefined ? 'http' : 'https'}://etcd-0-0.etcd.db.svc:2380`,
      ),
    });
    this.#doneJobs.add(uid);
  }

  #mount(): void {
    const late = [...this.etcd.processes.values()].filter((_, at) => (this.#ticks + at) % MOUNT_TICKS === 0);
    for (const { name, tls } of late) if (tls) refresh(tls, this.objects.get(`Secret/${name}-tls`)?.given);
  }

  /** As the StatefulSet controller and the kubelet do: a Pod of the newest form, restarted while it fails. */
  #runPod(name: string, { given, generation }: Stored): void {
    const pod = this.#pods.get(name);
    if (pod?.generation === generation && this.etcd.processes.has(name)) return;
    if (pod !== undefined && pod.generation !== generation && this.etcd.processes.has(name)) {
      this.etcd.stop(name);
      this.#pods.set(name, { generation, says: 'it ends' });
      return;
    }
    this.#pods.set(name, { generation, says: this.#startPod(name, given) });
  }

  #startPod(name: string, given: NewObject): string | undefined {
    const claim = this.objects.get(`PersistentVolumeClaim/data-${name}`);
    const config = this.objects.get(`ConfigMap/${name}`);
    if (claim === undefined || config === undefined) return 'it waits for what it mounts';
    if (this.away.has(name)) return 'no node takes it';
    const container = containerOf(given);
    if (this.badImages.has(container.image)) return 'ErrImagePull';
    const tls = startingTls(given, this.objects.get(`Secret/${name}-tls`)?.given);
    if (typeof tls === 'string') return tls;
    const disk = this.#disks.get(claim.uid) ?? {};
    this.#disks.set(claim.uid, disk);
    const data: Readonly<Record<string, string>> = JSON.parse(JSON.stringify(config.given['data']));
    const version = container.image.replace(/.*:v/, '');
    return this.etcd.start(name, { ...data, ...container.env }, disk, { version, tls });
  }

  #jobConditions(uid: string): readonly object[] {
    if (this.#doneJobs.has(uid)) return [{ type: 'Complete', status: 'True' }];
    return this.jobs === 'failed' ? [{ type: 'Failed', status: 'True' }] : [];
  }

  #view(): readonly KubernetesObject[] {
    return [...this.objects].map(([key, stored]) => {
      const name = key.slice(key.indexOf('/') + 1);
      const isReady = this.#pods.get(name)?.generation === stored.generation && this.etcd.processes.has(name);
      return asSeen(stored, { name, isReady, conditions: this.#jobConditions(stored.uid) });
    });
  }
}

const KINDS: Readonly<Record<string, string>> = {
  StatefulSet: 'StatefulSet.apps',
  Job: 'Job.batch',
  PodDisruptionBudget: 'PodDisruptionBudget.policy',
};
