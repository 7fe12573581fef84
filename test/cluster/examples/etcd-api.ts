import { eventually } from './eventually.ts';

/** A member as the list of members has it; ids in decimal, as the gateway writes them. */
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

/** Talks to members of etcd through their JSON gateway, from outside of the cluster. */
export class EtcdApi {
  readonly pods: readonly string[];
  readonly #addressOf: (pod: string) => string | undefined;

  constructor(pods: readonly string[], addressOf: (pod: string) => string | undefined) {
    this.pods = pods;
    this.#addressOf = addressOf;
  }

  /** Asks one member; rejects when it does not answer 200 in time. */
  async ask<T>(pod: string, method: string, body: object = {}, timeoutMs = TIME_LIMIT_MS): Promise<T> {
    const address = this.#addressOf(pod);
    if (address === undefined) throw new Error(`${pod} has no address`);
    const response = await fetch(`http://${address}:2379/v3/${method}`, {
      method: 'POST',
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${pod} refuses ${method}: ${text}`);
    return JSON.parse(text) as T;
  }

  /** Asks one after the other until somebody answers. */
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

  /** Those who answer. */
  async statuses(): Promise<readonly MemberStatus[]> {
    const answers = await Promise.all(this.pods.map(async (pod) => this.status(pod).catch(() => undefined)));
    return answers.filter((answer) => answer !== undefined);
  }

  /** Waits for one; there may be an election. */
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

  /** All there are, as etcdctl does. */
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
   * Changes the members as a person does, who tries again: for seconds after a member came back etcd refuses it, and one
   * whose answer was lost may have been done.
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

  /** How many milliseconds the member's writes to its log took until they were on the disk, so far. */
  async logWrites(pod: string): Promise<{ readonly count: number; readonly milliseconds: number }> {
    const text = await (await fetch(`http://${this.#addressOf(pod)}:2381/metrics`)).text();
    const value = (name: string): number =>
      Number(new RegExp(`^etcd_disk_wal_fsync_duration_seconds_${name} (\\S+)$`, 'm').exec(text)?.[1]);
    return { count: value('count'), milliseconds: 1000 * value('sum') };
  }
}
