import type { ClusterSpec } from './cluster.ts';
import { bytesOf, millisecondsOf } from './quantity.ts';
import { tlsProblem } from './tls/tls-problem.ts';

const MOST_MEMBERS = 11;
const LEAST_BYTES = 256 * 1024 * 1024;
/** A year; etcd reads no more than 292. */
const MOST_COMPACTION_MS = 365 * 86_400_000;
/** The minors that this hook knows how to run. */
const KNOWN_MINORS: readonly number[] = [5, 6];

/** All that is wrong with a spec by itself, in one text; undefined where nothing is. */
export function specProblem(spec: ClusterSpec): string | undefined {
  const problems = [
    replicas(spec),
    version(spec),
    size(spec),
    repair(spec),
    elections(spec),
    compaction(spec),
    defragmentation(spec),
    restore(spec),
    tlsProblem(spec),
    ...labels(spec),
  ];
  const found = problems.filter((problem) => problem !== undefined);
  return found.length === 0 ? undefined : found.join('; ');
}

function replicas({ replicas: count }: ClusterSpec): string | undefined {
  if (!Number.isInteger(count) || count < 1 || count > MOST_MEMBERS) {
    return `spec.replicas is ${count}: ask for 1, 3, 5, 7, 9 or ${MOST_MEMBERS} members`;
  }
  if (count % 2 === 1) return undefined;
  const survived = count / 2 - 1;
  return `spec.replicas is ${count}: ${count} members survive the loss of ${survived}, as ${count - 1} do, and have one more to lose: ask for ${count - 1} or ${count + 1}`;
}

function version({ version: text }: ClusterSpec): string | undefined {
  const [, minor = ''] = /^3\.(\d{1,2})\.\d{1,3}$/.exec(text) ?? [];
  if (minor !== '' && KNOWN_MINORS.includes(Number(minor))) return undefined;
  const known = KNOWN_MINORS.map((one) => `3.${one}`).join(' and ');
  return `spec.version is "${text}": ask for a released version of ${known}, such as 3.6.7`;
}

function size({ storage }: ClusterSpec): string | undefined {
  if ((bytesOf(storage.size) ?? 0) >= LEAST_BYTES) return undefined;
  return `spec.storage.size is "${storage.size}": ask for at least 256Mi, such as 8Gi; a file of the log of etcd alone takes 64 MB`;
}

function repair({ repair: { after } = {} }: ClusterSpec): string | undefined {
  const ms = after === undefined ? 60_000 : millisecondsOf(after);
  if (ms !== undefined && ms >= 10_000) return undefined;
  return `spec.repair.after is "${after}": ask for a duration of at least 10s, such as 5m; a member takes that long to restart`;
}

function elections({ options = {} }: ClusterSpec): string | undefined {
  const { heartbeatMilliseconds: heartbeat = 100, electionMilliseconds: election = 1000 } = options;
  if (election >= 5 * heartbeat) return undefined;
  return `spec.options.electionMilliseconds is ${election}: etcd wants at least five heartbeats of ${heartbeat} ms, so ask for ${5 * heartbeat} or more`;
}

function compaction({ options: { autoCompaction } = {} }: ClusterSpec): string | undefined {
  if (autoCompaction === undefined || (millisecondsOf(autoCompaction) ?? Infinity) <= MOST_COMPACTION_MS)
    return undefined;
  return `spec.options.autoCompaction is "${autoCompaction}": ask for a duration such as 1h, at most 8760h`;
}

function defragmentation({ defragment: { least } = {} }: ClusterSpec): string | undefined {
  if (least === undefined || bytesOf(least) !== undefined) return undefined;
  return `spec.defragment.least is "${least}": ask for the size of a file, such as 100Mi`;
}

function restore({ restore: from }: ClusterSpec): string | undefined {
  if (from === undefined) return undefined;
  const { file = '', claimName, s3 } = from;
  const hasFile = from.file !== undefined && claimName !== undefined;
  if (hasFile === (s3 !== undefined)) return 'spec.restore needs claimName and file, or s3, and not both';
  if (s3 !== undefined) return undefined;
  if (/^[\w.-]+(\/[\w.-]+)*$/.test(file) && !file.split('/').includes('..')) return undefined;
  return `spec.restore.file is "${file}": ask for a path inside of the volume, such as nightly.db`;
}

const NAME = /^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/;
const VALUE = /^([A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?)?$/;

function labels({ pod = {} }: ClusterSpec): readonly (string | undefined)[] {
  const wrong = Object.entries(pod.labels ?? {}).find(([name, value]) => !NAME.test(name) || !VALUE.test(value));
  const noName = Object.keys(pod.annotations ?? {}).find((name) => !NAME.test(name));
  const likeThis = 'ask for letters, digits, - _ and ., at most 63, such as team: storage';
  return [
    wrong && `spec.pod.labels has "${wrong.join(': ')}": ${likeThis}`,
    noName === undefined ? undefined : `spec.pod.annotations has "${noName}": ${likeThis}`,
  ];
}
