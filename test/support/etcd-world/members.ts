import { areFriends, believes, served, type ClientTls } from './tls.ts';
import type { EndpointStatus, EtcdPort } from '../../../examples/300-etcd/hooks/lib/etcd-port.ts';
import { Violation, type Disk, type ListEntry, type Process, type StartOptions } from './process.ts';

/**
 * The rules by which etcd takes and loses members: changes need a quorum of voters, one learner at a time, an id that
 * has started never starts again with an empty disk, and what was removed stays out.
 */
export class Members {
  list: ListEntry[] = [];
  readonly processes = new Map<string, Process>();
  /** Ids of members with the alarm NOSPACE. */
  readonly noSpace = new Set<string>();
  /** What happens right before an alarm is disarmed. */
  beforeDisarm: () => void = () => {};
  /** Bytes that the keys of today take, and with all older revisions; the file of each member is as large or larger. */
  liveBytes = 1;
  usedBytes = 1;
  readonly fileBytes = new Map<string, number>();
  quotaBytes = Number.POSITIVE_INFINITY;
  foundings = 0;
  leader = '';
  #next = 1;
  /** Each change of the list, in words. */
  readonly history: string[] = [];
  readonly syncTicks = 3;
  /** Ids of members with the alarm CORRUPT, and what members hold where it is not what all hold. */
  readonly corrupt = new Set<string>();
  readonly hashes = new Map<string, number>();
  /** Members that the operator cannot reach, and others can. */
  readonly unheard = new Set<string>();
  /** Members that others cannot reach, and the operator can. */
  readonly cutOff = new Set<string>();
  /** The time of the members, and by how much that of the operator is ahead. */
  nowMs = 0;
  aheadMs = 0;
  /** The certificate with which the operator asks. */
  client: ClientTls | undefined;
  /** Whether members may cease to believe each other, as where all certificates have expired. */
  mayPart = false;

  /** Enough voters run that believe each other. */
  get hasQuorum(): boolean {
    const voters = this.list.filter(({ isLearner }) => !isLearner);
    const running = voters.flatMap(({ id }) => this.#process(id) ?? []);
    return running.some((one) => {
      const friends = running.filter(({ tls }) => areFriends(one.tls, tls, this.nowMs));
      return friends.length > voters.length / 2;
    });
  }

  /** Starts etcd with an environment; returns why it exits, or undefined while it runs. */
  start(name: string, env: Readonly<Record<string, string>>, disk: Disk, how: StartOptions): string | undefined {
    const { version, tls } = how;
    const url = env['ETCD_INITIAL_ADVERTISE_PEER_URLS'] ?? '';
    const memberId = disk.memberId ?? this.#join(name, url, env);
    if (memberId === undefined) return "couldn't find local name in the initial cluster configuration";
    if (!this.list.some(({ id }) => id === memberId)) return 'the member has been permanently removed from the cluster';
    disk.memberId = memberId;
    this.processes.set(name, { name, url, disk, version, tls, memberId, age: 0 });
    return undefined;
  }

  stop(name: string): void {
    this.processes.delete(name);
  }

  tick(): void {
    for (const process of this.processes.values()) process.age += 1;
    for (const { name, memberId } of this.processes.values()) {
      if (!this.list.some(({ id }) => id === memberId)) this.processes.delete(name);
    }
    this.#guardFriends();
    const alive = this.list.find(({ id }) => id === this.leader && this.#runs(id));
    for (const { name, memberId } of this.processes.values()) {
      if (this.#fileOf(name) >= this.quotaBytes) this.noSpace.add(memberId);
    }
    if (!this.hasQuorum) this.leader = '';
    else if (alive === undefined)
      this.leader = this.list.find(({ id, isLearner }) => !isLearner && this.#runs(id))?.id ?? '';
  }

  /** What etcdctl would be answered. */
  port(effect: (what: string) => void): EtcdPort {
    return {
      members: async (urls) => {
        this.#needQuorum(urls);
        return structuredClone(this.list).map((one) => ({ ...one, name: one.isStarted ? one.name : '' }));
      },
      statuses: async (urls) => this.#statuses(urls),
      healthy: async (urls) =>
        this.#statuses(urls)
          .filter(
            ({ memberId }) => this.#isVoter(memberId) && this.hasQuorum && !this.cutOff.has(this.nameOf(memberId)),
          )
          .map(({ endpoint }) => endpoint),
      status: async (url) => {
        const [found] = this.#statuses([url]);
        if (found === undefined) throw new Error('context deadline exceeded');
        return { ...found, term: 1, isLearner: !this.#isVoter(found.memberId) };
      },
      hashAt: async (endpoint) => {
        const { name = '' } = this.#at(endpoint) ?? {};
        return { endpoint, hash: this.hashes.get(name) ?? 1, compactRevision: 0 };
      },
      peersView: async (_, { member }) => {
        const isSeen = this.#runs(member?.id ?? '');
        return { isSeen, said: isSeen ? 'the leader sees it' : 'the leader does not see it' };
      },
      served: async (urls) =>
        urls.flatMap((url) => {
          const { tls } = this.#listening(url) ?? {};
          return tls === undefined ? [] : [served(url, tls, this.nowMs)];
        }),
      addLearner: async (urls, name, peerUrl) => {
        this.#needQuorum(urls);
        this.#add(name, peerUrl);
        effect(`add ${name}`);
      },
      promote: async (urls, id) => {
        this.#needQuorum(urls);
        this.#promote(id);
        effect(`promote ${id}`);
      },
      remove: async (urls, id) => {
        this.#needQuorum(urls);
        this.#remove(id);
        effect(`remove ${id}`);
      },
      moveLeader: async (url, id) => {
        if (this.#at(url)?.memberId !== this.leader) throw new Error('etcdserver: not leader');
        this.leader = id;
        this.history.push(`leader ${this.nameOf(id)}`);
        effect(`move-leader ${id}`);
      },
      compact: async (urls) => {
        this.#needQuorum(urls);
        this.usedBytes = this.liveBytes;
        this.history.push('compact');
        effect('compact');
      },
      defragment: async (url) => {
        const { name = '', memberId = '' } = this.#at(url) ?? {};
        this.fileBytes.set(name, this.usedBytes);
        this.history.push(`defragment ${name}${this.leader === memberId ? ' while it leads' : ''}`);
        effect(`defragment ${name}`);
      },
      disarm: async (url, { memberId, alarm }) => {
        this.#needQuorum([url]);
        this.beforeDisarm();
        (alarm === 'CORRUPT' ? this.corrupt : this.noSpace).delete(memberId);
        this.history.push(`disarm ${alarm} ${this.nameOf(memberId)}`);
        effect('disarm');
      },
    };
  }

  nameOf(id: string): string {
    return this.list.find((member) => member.id === id)?.name ?? id;
  }

  #fileOf(name: string): number {
    return Math.max(this.fileBytes.get(name) ?? 1, this.usedBytes);
  }

  #process(id: string): Process | undefined {
    return [...this.processes.values()].find(({ memberId }) => memberId === id);
  }

  #runs(id: string): boolean {
    return this.#process(id) !== undefined;
  }

  #guardFriends(): void {
    if (this.mayPart) return;
    const all = [...this.processes.values()].filter(({ memberId }) => this.list.some(({ id }) => id === memberId));
    const [a, b] =
      all
        .flatMap((one) => all.map((other) => [one, other] as const))
        .find(([one, other]) => !areFriends(one.tls, other.tls, this.nowMs)) ?? [];
    if (a !== undefined && b !== undefined) throw new Violation(`${a.name} and ${b.name} no longer believe each other`);
  }

  #isVoter(id: string): boolean {
    return this.list.some((member) => member.id === id && !member.isLearner);
  }

  #listening(url: string): Process | undefined {
    return [...this.processes.values()].find((process) => process.url.replace('2380', '2379') === url);
  }

  /** The process that a client reaches there, when both believe each other. */
  #at(url: string): Process | undefined {
    const process = this.#listening(url);
    if (this.unheard.has(process?.name ?? '')) return undefined;
    if (process?.tls === undefined) return process;
    const at = { memberMs: this.nowMs, clientMs: this.nowMs + this.aheadMs };
    return believes(this.client, process.tls, new URL(url).hostname, at) ? process : undefined;
  }

  #needQuorum(urls: readonly string[]): void {
    const asked = urls.some((url) => this.#isVoter(this.#at(url)?.memberId ?? ''));
    if (!this.hasQuorum || !asked) throw new Error('context deadline exceeded');
  }

  #statuses(urls: readonly string[]): readonly EndpointStatus[] {
    return urls.flatMap((endpoint) => {
      const process = this.#at(endpoint);
      if (process === undefined) return [];
      const { memberId, version } = process;
      const alarm = (kind: string) => (id: string) => `memberID:${BigInt(`0x${id}`)} alarm:${kind} `;
      const errors = [...[...this.noSpace].map(alarm('NOSPACE')), ...[...this.corrupt].map(alarm('CORRUPT'))];
      const size = { databaseBytes: this.#fileOf(process.name), databaseBytesInUse: this.usedBytes };
      return [{ endpoint, clusterId: 'c', memberId, leader: this.leader, version, revision: 7, errors, ...size }];
    });
  }

  #join(name: string, url: string, env: Readonly<Record<string, string>>): string | undefined {
    const given = (env['ETCD_INITIAL_CLUSTER'] ?? '').split(',').toSorted();
    if (!given.includes(`${name}=${url}`)) return undefined;
    if (env['ETCD_INITIAL_CLUSTER_STATE'] === 'new') return this.#found(name, url);
    const listed = this.list.find(({ peerUrls }) => peerUrls.includes(url));
    const known = this.list.map((member) => `${member.name}=${member.peerUrls[0]}`).toSorted();
    if (listed === undefined || known.join() !== given.join()) return undefined;
    if (listed.isStarted) throw new Violation(`${name} starts with an empty disk and the id that it had before`);
    listed.isStarted = true;
    return listed.id;
  }

  /** What etcdutl snapshot restore leaves on a disk: a member of a cluster of its own. */
  restore(name: string, url: string): string {
    return this.#found(name, url);
  }

  #found(name: string, url: string): string {
    this.foundings += 1;
    if (this.foundings > 1) throw new Violation(`${name} founds a second cluster`);
    const id = this.#id();
    this.list.push({ id, name, peerUrls: [url], isLearner: false, isStarted: true });
    return id;
  }

  #add(name: string, url: string): void {
    if (this.list.some(({ peerUrls }) => peerUrls.includes(url)))
      throw new Error('etcdserver: Peer URLs already exists');
    if (this.list.some(({ isLearner }) => isLearner))
      throw new Error('etcdserver: too many learner members in cluster');
    if (this.list.some(({ id }) => !this.#runs(id))) throw new Error('etcdserver: unhealthy cluster');
    this.list.push({ id: this.#id(), name, peerUrls: [url], isLearner: true, isStarted: false });
    this.history.push(`add ${name}`);
  }

  #promote(id: string): void {
    const member = this.list.find((one) => one.id === id);
    if (member === undefined) throw new Error('etcdserver: member not found');
    if (!member.isLearner) throw new Error('etcdserver: can only promote a learner member');
    const process = [...this.processes.values()].find(({ memberId }) => memberId === id);
    if (process === undefined || process.age < this.syncTicks) {
      throw new Error('etcdserver: can only promote a learner member which is in sync with leader');
    }
    this.list = this.list.map((one) => (one.id === id ? { ...one, isLearner: false } : one));
    this.history.push(`promote ${member.name}`);
  }

  #remove(id: string): void {
    const member = this.list.find((one) => one.id === id);
    if (member === undefined) throw new Error('etcdserver: member not found');
    const others = this.list.filter((one) => one.id !== id);
    const voters = others.filter(({ isLearner }) => !isLearner);
    if (voters.filter((one) => this.#runs(one.id)).length <= voters.length / 2) {
      throw new Error('etcdserver: re-configuration failed due to not enough started members');
    }
    this.list = others;
    this.history.push(`remove ${member.name}${this.leader === id ? ' while it leads' : ''}`);
  }

  #id(): string {
    return (0xa0 + this.#next++).toString(16);
  }
}
