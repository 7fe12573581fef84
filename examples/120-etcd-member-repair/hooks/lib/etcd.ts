import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export type Member = { readonly id: string; readonly peerUrl: string; readonly isLearner: boolean };

/** Calls etcdctl, whose own variables have certificates and passwords; rejects where it fails or says nothing. */
export async function etcdctl(endpoints: readonly string[], ...args: readonly string[]): Promise<string> {
  const limits = ['--dial-timeout', '2s', '--command-timeout', '5s'];
  const options = { env: { ...process.env, ETCDCTL_ENDPOINTS: endpoints.join(',') } };
  const { stdout } = await promisify(execFile)('etcdctl', [...limits, ...args], options);
  if (stdout === '') throw new Error(`etcdctl ${args.join(' ')} said nothing`);
  return stdout;
}

/** The list that a quorum agrees on. A line: 8e9e05c52164694d, started, etcd-0, http://…:2380, http://…:2379, false */
export async function membersOf(endpoints: readonly string[]): Promise<readonly Member[]> {
  const lines = (await etcdctl(endpoints, 'member', 'list', '-w', 'simple')).trim().split('\n');
  return lines.map((line) => {
    const [id = '', , , peerUrl = '', , isLearner] = line.split(', ');
    return { id, peerUrl, isLearner: isLearner === 'true' };
  });
}
