import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ID_FIELDS = /"(ID|member_id|memberID|leader)":(\d+)/g;
const CORRUPT = 2;
const NO_SPACE = 1;

/** A member as in the member list; ids are in hex, as etcdctl prints them. */
export interface Member {
  readonly id: string;
  /** Empty until the member has started. */
  readonly name: string;
  readonly peerUrls: readonly string[];
  readonly isLearner: boolean;
}

export interface Status {
  readonly memberId: string;
  /** Empty when the member knows no leader. */
  readonly leader: string;
  readonly term: number;
  readonly revision: number;
  readonly databaseBytes: number;
  readonly isLearner: boolean;
  readonly errors: readonly string[];
}

export interface Alarms {
  readonly corrupt: readonly string[];
  readonly noSpace: readonly string[];
}

export interface MemberHash {
  readonly endpoint: string;
  readonly hash: number;
  readonly compactRevision: number;
}

interface WireStatus {
  readonly header: { readonly member_id: string; readonly revision?: number };
  readonly leader?: string;
  readonly raftTerm?: number;
  readonly dbSize?: number;
  readonly isLearner?: boolean;
  readonly errors?: readonly string[];
}

/** How long calls may take. */
export interface EtcdLimits {
  readonly timeoutMs: number;
  /** For the hash of all that a member holds, which it has to read for it. */
  readonly hashTimeoutMs: number;
  /** For a snapshot to be saved, and to be read again. */
  readonly snapshotTimeoutMs: number;
}

/**
 * Calls etcd with etcdctl, which handles certificates, users and timeouts. The variables that begin with `ETCDCTL_` say
 * which certificates and which user.
 */
export class Etcd {
  readonly #limits: EtcdLimits;
  /** The signal of the run: every call ends when it aborts. */
  readonly signal: AbortSignal;
  readonly #env: NodeJS.ProcessEnv;

  constructor(limits: EtcdLimits, signal: AbortSignal, env: NodeJS.ProcessEnv = process.env) {
    this.#limits = limits;
    this.signal = signal;
    // The variable clashes with the flag of the same name.
    const { ETCDCTL_ENDPOINTS: _, ...rest } = env;
    this.#env = rest;
  }

  async status(endpoint: string): Promise<Status> {
    const [answer] = await this.#json<readonly [{ readonly Status: WireStatus }]>([endpoint], 'endpoint', 'status');
    const {
      header,
      leader = '0',
      raftTerm: term = 0,
      dbSize: databaseBytes = 0,
      isLearner = false,
      errors = [],
    } = answer.Status;
    const { member_id: memberId, revision = 0 } = header;
    return { memberId, leader: leader === '0' ? '' : leader, term, revision, databaseBytes, isLearner, errors };
  }

  /** The member list, read linearizably: a member that can return it has quorum. */
  async members(endpoints: readonly string[]): Promise<readonly Member[]> {
    const { members } = await this.#json<{
      readonly members: readonly {
        readonly ID: string;
        readonly name?: string;
        readonly peerURLs: readonly string[];
        readonly isLearner?: boolean;
      }[];
    }>(endpoints, 'member', 'list');
    return members.map(({ ID, name = '', peerURLs, isLearner = false }) => ({
      id: ID,
      name,
      peerUrls: peerURLs,
      isLearner,
    }));
  }

  async alarms(endpoints: readonly string[]): Promise<Alarms> {
    const { alarms = [] } = await this.#json<{
      readonly alarms?: readonly { readonly memberID?: string; readonly alarm: number }[];
    }>(endpoints, 'alarm', 'list');
    const of = (kind: number) =>
      alarms.filter(({ alarm }) => alarm === kind).map(({ memberID: memberId = '0' }) => memberId);
    return { corrupt: of(CORRUPT), noSpace: of(NO_SPACE) };
  }

  async hashes(endpoints: readonly string[], ...flags: readonly string[]): Promise<readonly MemberHash[]> {
    const answers = await this.#json<
      readonly {
        readonly Endpoint: string;
        readonly HashKV: { readonly hash?: number; readonly compact_revision?: number };
      }[]
    >(endpoints, 'endpoint', 'hashkv', ...flags);
    return answers.map(({ Endpoint: endpoint, HashKV: { hash = 0, compact_revision: compactRevision = 0 } }) => ({
      endpoint,
      hash,
      compactRevision,
    }));
  }

  /** Of one member; it reads all it has for it. */
  async hashAt(endpoint: string, revision: number): Promise<MemberHash> {
    const flags = ['--rev', String(revision), '--command-timeout', `${this.#limits.hashTimeoutMs / 1000}s`];
    const [answer] = await this.hashes([endpoint], ...flags);
    if (answer === undefined) throw new Error(`${endpoint} gave no hash`);
    return answer;
  }

  async removeMember(endpoints: readonly string[], id: string): Promise<void> {
    await this.#ask(endpoints, 'member', 'remove', id);
  }

  async addLearner(endpoints: readonly string[], name: string, peerUrl: string): Promise<void> {
    await this.#ask(endpoints, 'member', 'add', name, '--learner', '--peer-urls', peerUrl);
  }

  async promote(endpoints: readonly string[], id: string): Promise<void> {
    await this.#ask(endpoints, 'member', 'promote', id);
  }

  async moveLeader(leaderEndpoint: string, id: string): Promise<void> {
    await this.#ask([leaderEndpoint], 'move-leader', id);
  }

  async saveSnapshot(endpoint: string, file: string): Promise<void> {
    await this.#work('etcdctl', '--endpoints', endpoint, 'snapshot', 'save', file);
  }

  /** The last revision of a snapshot; rejects when the snapshot is not intact. */
  async snapshotRevision(file: string): Promise<number> {
    const { revision } = JSON.parse(await this.#work('etcdutl', 'snapshot', 'status', file, '-w', 'json')) as {
      readonly revision: number;
    };
    return revision;
  }

  async #work(program: string, ...args: readonly string[]): Promise<string> {
    const options = { env: this.#env, signal: this.signal, timeout: this.#limits.snapshotTimeoutMs };
    return (await run(program, args, options)).stdout;
  }

  async #json<T>(endpoints: readonly string[], ...args: readonly string[]): Promise<T> {
    const text = await this.#ask(endpoints, ...args, '-w', 'json');
    // A JSON number cannot represent 64 bits.
    const quoted = text.replace(ID_FIELDS, (_, field: string, id: string) => `"${field}":"${BigInt(id).toString(16)}"`);
    return JSON.parse(quoted) as T;
  }

  async #ask(endpoints: readonly string[], ...args: readonly string[]): Promise<string> {
    const seconds = `${this.#limits.timeoutMs / 1000}s`;
    const flags = ['--endpoints', endpoints.join(','), '--command-timeout', seconds, '--dial-timeout', seconds];
    const { stdout } = await run('etcdctl', [...flags, ...args], { env: this.#env, signal: this.signal });
    return stdout;
  }
}

/** A follower has more time. */
export function followersFirst<T extends { readonly status: Pick<Status, 'memberId'> | undefined }>(
  voters: readonly T[],
  leader: string,
): readonly T[] {
  const rank = ({ status }: T): number => (status?.memberId === leader ? 1 : 0);
  return voters.toSorted((a, b) => rank(a) - rank(b));
}

/** What is worth telling of what etcdctl printed when it failed: its last word, and what is behind a time limit. */
export function etcdError(error: unknown): string {
  const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
  const lines = stderr
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('{"level":"info"'))
    .map((line) => {
      const [, text] = /"error":"((?:[^"\\]|\\.)*)"/.exec(line) ?? [];
      return text?.replaceAll('\\"', '"') ?? line;
    });
  const last = lines.at(-1) ?? (error instanceof Error ? error.message : String(error));
  const causes = lines.map((line) => /latest balancer error: connection error: desc = "(.*)"/.exec(line)?.[1]);
  const cause = causes.findLast((found) => found !== undefined);
  return (cause === undefined || last.includes(cause) ? last : `${last}: ${cause}`).slice(0, 300);
}

/** Everything etcdctl said when it failed, to be searched for the words of etcd. */
export function etcdSaid(error: unknown): string {
  return error instanceof Error && 'stderr' in error ? `${error.message}${String(error.stderr)}` : String(error);
}
