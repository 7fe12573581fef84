import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ClientEnvironment } from './tls/client-files.ts';
import { disarmAlarm } from './etcd-repair/alarm.ts';
import { Etcd } from './etcd-repair/etcd.ts';
import { peersView } from './etcd-repair/witness.ts';
import { servedBy } from './tls/served.ts';
import type { EndpointStatus, EtcdPort } from './etcd-port.ts';

const run = promisify(execFile);
// A JSON number cannot represent 64 bits.
const ID_FIELDS = /"(ID|member_id|cluster_id|leader)":(\d+)/g;
const SECONDS = 5;
/** For what reads or writes all that a member has. */
const LONG_SECONDS = 240;
const MOST_BYTES = 4 * 1024 * 1024;

/** Calls etcd with etcdctl and, for what that cannot do, by gRPC; `client` names the files of certificates. */
export function etcdctl(signal: AbortSignal, client: ClientEnvironment): EtcdPort {
  const askFor = async (seconds: number, endpoints: readonly string[], args: readonly string[]): Promise<string> => {
    const limits = ['--command-timeout', `${seconds}s`, '--dial-timeout', `${SECONDS}s`];
    const options = { env: { ...environment(), ...client }, signal, maxBuffer: MOST_BYTES };
    return (await run('etcdctl', ['--endpoints', endpoints.join(','), ...limits, ...args], options)).stdout;
  };
  const ask = async (endpoints: readonly string[], ...args: readonly string[]): Promise<string> =>
    askFor(SECONDS, endpoints, args);
  const env = { ...environment(), ...client };
  const access = { timeoutMs: SECONDS * 1000, env, signal };
  const etcd = etcdTools(signal, client);
  return {
    status: async (endpoint) => etcd.status(endpoint),
    hashAt: async (endpoint, revision) => etcd.hashAt(endpoint, revision),
    peersView: async (peers, target) => peersView(peers, target, access),
    members: async (endpoints) => etcd.members(endpoints),
    statuses: async (endpoints) => statusesIn(await printed(ask(endpoints, 'endpoint', 'status', '-w', 'json'))),
    healthy: async (endpoints) => healthyIn(await printed(ask(endpoints, 'endpoint', 'health', '-w', 'json'))),
    served: async (endpoints) => servedBy(endpoints, signal),
    addLearner: async (endpoints, name, url) => etcd.addLearner(endpoints, name, url),
    promote: async (endpoints, id) => etcd.promote(endpoints, id),
    remove: async (endpoints, id) => etcd.removeMember(endpoints, id),
    moveLeader: async (leader, id) => etcd.moveLeader(leader, id),
    compact: async (endpoints, revision) =>
      void (await askFor(LONG_SECONDS, endpoints, ['compact', String(revision), '--physical'])),
    defragment: async (endpoint) => void (await askFor(LONG_SECONDS, [endpoint], ['defrag'])),
    disarm: async (endpoint, raised) => disarmAlarm(endpoint, raised, access),
  };
}

/** etcdctl and etcdutl with the certificate of the client, as solutions/etcd-repair calls them. */
export function etcdTools(signal: AbortSignal, client: ClientEnvironment): Etcd {
  const long = LONG_SECONDS * 1000;
  const limits = { timeoutMs: SECONDS * 1000, hashTimeoutMs: long, snapshotTimeoutMs: long };
  return new Etcd(limits, signal, { ...environment(), ...client });
}

/** Variables for etcdctl would clash with its flags; the client has its own. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('ETCDCTL_')));
}

/** etcdctl exits with 1 when one of several does not answer, and prints what the others said. */
async function printed(asked: Promise<string>): Promise<string> {
  try {
    return await asked;
  } catch (error) {
    const stdout = error instanceof Error && 'stdout' in error ? String(error.stdout) : '';
    return stdout.trim() === '' ? '[]' : stdout;
  }
}

function listIn(text: string, ...path: readonly string[]): readonly unknown[] {
  const quoted = text.replace(ID_FIELDS, (_, field: string, id: string) => `"${field}":"${BigInt(id).toString(16)}"`);
  const parsed: unknown = JSON.parse(quoted);
  const found = path.reduce<unknown>((value, key) => fieldOf(value, key), parsed);
  return Array.isArray(found) ? found : [];
}

function statusesIn(text: string): readonly EndpointStatus[] {
  return listIn(text).map((one) => {
    const status = fieldOf(one, 'Status');
    const header = fieldOf(status, 'header');
    const leader = textOf(status, 'leader');
    return {
      endpoint: textOf(one, 'Endpoint'),
      clusterId: textOf(header, 'cluster_id'),
      memberId: textOf(header, 'member_id'),
      leader: leader === '0' ? '' : leader,
      version: textOf(status, 'version'),
      revision: numberOf(header, 'revision'),
      databaseBytes: numberOf(status, 'dbSize'),
      databaseBytesInUse: numberOf(status, 'dbSizeInUse'),
      errors: textsOf(status, 'errors'),
    };
  });
}

/** A member with an alarm answers, although etcdctl calls it unhealthy; with CORRUPT it refuses what it has agreed on. */
function healthyIn(text: string): readonly string[] {
  const answers = (error: string): boolean => error.startsWith('Active Alarm') || error.includes('corrupt cluster');
  return listIn(text)
    .filter((one) => fieldOf(one, 'health') === true || answers(textOf(one, 'error')))
    .map((one) => textOf(one, 'endpoint'));
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

function textOf(value: unknown, key: string): string {
  const field = fieldOf(value, key);
  return typeof field === 'string' ? field : '';
}

function numberOf(value: unknown, key: string): number {
  const field = fieldOf(value, key);
  return typeof field === 'number' ? field : 0;
}

function textsOf(value: unknown, key: string): readonly string[] {
  const field = fieldOf(value, key);
  return Array.isArray(field) ? field.filter((one) => typeof one === 'string') : [];
}
