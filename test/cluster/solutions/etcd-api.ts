import type { EtcdClientTls } from './etcd-certificates.ts';
import { eventually } from './eventually.ts';
import { post, type HttpAnswer } from './http-post.ts';

/** A member in the list of members; ids are in decimal, as the gateway prints them. */
export interface ListedMember {
  readonly ID: string;
  readonly name: string;
  readonly peerURLs: readonly string[];
  readonly isLearner: boolean;
}

export interface MemberStatus {
  readonly pod: string;
  readonly memberId: string;
  readonly leader: string;
  readonly revision: number;
  readonly isLearner: boolean;
}

const TIME_LIMIT_MS = 2000;
// Without a token, the user is the name in the certificate of the gateway, which is that of a member.
const WANTS_TOKEN = /invalid auth token|user name is empty|user name not found|permission denied|auth store is old/;

/** How a client outside of the cluster connects to its members. */
export interface EtcdAccess {
  readonly namespace: string;
  readonly tls?: EtcdClientTls;
  readonly user?: EtcdUser;
}

export interface EtcdUser {
  readonly name: string;
  readonly password: string;
}

/** Calls members of etcd through their JSON gateway, from outside of the cluster. */
export class EtcdApi {
  readonly pods: readonly string[];
  readonly #addressOf: (pod: string) => string | undefined;
  readonly #access: EtcdAccess;
  /** A member forgets its tokens when it restarts. */
  readonly #tokens = new Map<string, string>();

  constructor(pods: readonly string[], addressOf: (pod: string) => string | undefined, access: EtcdAccess) {
    this.pods = pods;
    this.#addressOf = addressOf;
    this.#access = access;
  }

  /** Sends a request to one member; rejects when the member does not answer 200 in time. */
  async ask<T>(pod: string, method: string, body: object = {}, timeoutMs = TIME_LIMIT_MS): Promise<T> {
    const signal = AbortSignal.timeout(timeoutMs);
    const { user } = this.#access;
    let answer = await this.#post(pod, method, body, signal);
    if (user !== undefined && WANTS_TOKEN.test(answer.text)) {
      this.#tokens.delete(pod);
      const { text } = await this.#post(pod, 'auth/authenticate', user, signal);
      const { token } = JSON.parse(text) as { readonly token?: string };
      if (token === undefined) throw new Error(`${pod} refuses the user ${user.name}: ${text}`);
      this.#tokens.set(pod, token);
      answer = await this.#post(pod, method, body, signal);
    }
    if (answer.status !== 200) throw new Error(`${pod} refuses ${method}: ${answer.text}`);
    return JSON.parse(answer.text) as T;
  }

  async #post(pod: string, method: string, body: object, signal: AbortSignal): Promise<HttpAnswer> {
    const address = this.#addressOf(pod);
    if (address === undefined) throw new Error(`${pod} has no address`);
    const { namespace, tls } = this.#access;
    const token = this.#tokens.get(pod);
    return post(`${tls === undefined ? 'http' : 'https'}://${address}:2379/v3/${method}`, JSON.stringify(body), {
      signal,
      headers: token === undefined ? {} : { authorization: token },
      ...(tls !== undefined && { ...tls, servername: `${pod}.etcd.${namespace}.svc` }),
    });
  }

  /** Turns authentication on, so that only the user may do anything. Can be repeated. */
  async enableAuth(): Promise<void> {
    const { user } = this.#access;
    if (user === undefined) throw new Error('there is no user to be given all rights');
    const steps: readonly (readonly [string, object])[] = [
      ['auth/user/add', user],
      ['auth/role/add', { name: 'root' }],
      ['auth/user/grant', { user: user.name, role: 'root' }],
      ['auth/enable', {}],
    ];
    for (const [method, body] of steps) {
      await this.anybody(method, body).catch((error: unknown) => {
        if (!String(error).includes('already exists')) throw error;
      });
    }
  }

  /** Tries one member after the other until one answers. */
  async anybody<T>(method: string, body: object = {}): Promise<T> {
    let last: unknown;
    for (const pod of this.pods) {
      try {
        return await this.ask<T>(pod, method, body);
      } catch (error) {
        last = error;
      }
    }
    throw last;
  }

  async put(key: string, value: string): Promise<void> {
    await this.anybody('kv/put', { key: encoded(key), value: encoded(value) });
  }

  /** The value of a key on one member, whatever the others hold. */
  async heldBy(pod: string, key: string): Promise<string | undefined> {
    const { kvs = [] } = await this.ask<{ readonly kvs?: readonly { readonly value?: string }[] }>(pod, 'kv/range', {
      key: encoded(key),
      serializable: true,
    });
    return kvs[0] === undefined ? undefined : decoded(kvs[0].value ?? '');
  }

  async members(): Promise<readonly ListedMember[]> {
    const { members } = await this.anybody<{ readonly members: readonly Partial<ListedMember>[] }>(
      'cluster/member/list',
      { linearizable: true },
    );
    return members.map(({ ID = '', name = '', peerURLs = [], isLearner = false }) => ({
      ID,
      name,
      peerURLs,
      isLearner,
    }));
  }

  async status(pod: string): Promise<MemberStatus> {
    const { header, leader, isLearner } = await this.ask<{
      readonly header: { readonly member_id: string; readonly revision?: string };
      readonly leader?: string;
      readonly isLearner?: boolean;
    }>(pod, 'maintenance/status');
    const revision = Number(header.revision ?? 0);
    return { pod, memberId: header.member_id, leader: leader ?? '0', revision, isLearner: isLearner ?? false };
  }

  /** The members that answer. */
  async statuses(): Promise<readonly MemberStatus[]> {
    const answers = await Promise.all(this.pods.map(async (pod) => this.status(pod).catch(() => undefined)));
    return answers.filter((answer) => answer !== undefined);
  }

  /** Waits for a leader; there may be an election. */
  async leader(): Promise<string> {
    return eventually(async () => {
      const statuses = await this.statuses();
      const found = statuses.find(({ memberId, leader }) => memberId === leader);
      if (found === undefined) throw new Error('there is no leader');
      return found.pod;
    });
  }

  async follower(): Promise<string> {
    const leader = await this.leader();
    const found = this.pods.find((pod) => pod !== leader);
    if (found === undefined) throw new Error('there is no follower');
    return found;
  }

  /** The hash of all keys of each member, at one revision. */
  async hashes(): Promise<readonly string[]> {
    const statuses = await this.statuses();
    const revision = String(Math.min(...statuses.map((status) => status.revision)));
    const answers = await Promise.all(
      this.pods.map(async (pod) => this.ask<{ readonly hash: number }>(pod, 'maintenance/hash', { revision })),
    );
    return answers.map(({ hash }) => String(hash));
  }

  /** All alarms, as etcdctl lists them. */
  async disarm(): Promise<void> {
    await eventually(async () => {
      const { alarms = [] } = await this.anybody<{ readonly alarms?: readonly object[] }>('maintenance/alarm');
      for (const alarm of alarms) await this.anybody('maintenance/alarm', { action: 'DEACTIVATE', ...alarm });
    });
  }

  async raiseAlarm(pod: string, alarm: 'CORRUPT' | 'NOSPACE'): Promise<void> {
    await eventually(async () => {
      const { memberId } = await this.status(pod);
      await this.anybody('maintenance/alarm', { action: 'ACTIVATE', memberID: memberId, alarm });
    });
  }

  /**
   * Changes the members and retries, as a person would: for seconds after a member has come back etcd refuses a
   * change, and a change whose answer was lost may have been made.
   */
  async changeMembers(method: 'add' | 'remove' | 'update', body: object): Promise<void> {
    await eventually(async () => {
      try {
        await this.anybody(`cluster/member/${method}`, body);
      } catch (error) {
        if (!/member not found|Peer URLs already exists/.test(String(error))) throw error;
      }
    });
  }

  /** The total milliseconds that the member took so far to sync writes of its log to the disk. */
  async logWrites(pod: string): Promise<{ readonly count: number; readonly milliseconds: number }> {
    const value = await this.#metrics(pod);
    const name = 'etcd_disk_wal_fsync_duration_seconds';
    return { count: value(`${name}_count`), milliseconds: 1000 * value(`${name}_sum`) };
  }

  /** How often the member was sent a whole database since its start. */
  async databasesReceived(pod: string): Promise<number> {
    const value = await this.#metrics(pod);
    return value('etcd_network_snapshot_receive_success');
  }

  /** Metrics of the member, each summed over all its labels. */
  async #metrics(pod: string): Promise<(name: string) => number> {
    const text = await (await fetch(`http://${this.#addressOf(pod)}:2381/metrics`)).text();
    return (name) => {
      const samples = text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'));
      return [...samples].reduce((sum, [, sample]) => sum + Number(sample), 0);
    };
  }
}

/** Encodes text as base64, as the gateway expects it. */
export function encoded(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** Decodes text of the gateway. */
export function decoded(text: string): string {
  return Buffer.from(text, 'base64').toString();
}
