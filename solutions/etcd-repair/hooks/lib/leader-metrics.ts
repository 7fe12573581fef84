import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';
import { createInterface } from 'node:readline';
import { tlsFiles } from './grpc.ts';
import { httpUrl, type MemberAccess } from './member-access.ts';

const MAX_LINES = 20_000;

/** Whether the leader's metrics show that it is sending its database to a member; false if they cannot be read. */
export async function sendsDatabase(access: MemberAccess, leader: string, memberId: string): Promise<boolean> {
  const sample = `etcd_network_snapshot_send_inflights_total{To="${memberId}"} `;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const options = { ...tlsFiles(access.env), agent: false, signal: AbortSignal.timeout(access.timeoutMs) };
  const url = httpUrl(access, leader, '/metrics');
  const sent = url.protocol === 'https:' ? getHttps(url, options) : getHttp(url, options);
  sent.on('response', resolve);
  sent.on('error', reject);
  try {
    let lines = 0;
    for await (const line of createInterface({ input: await promise })) {
      if (line.startsWith(sample)) return Number(line.slice(sample.length)) > 0;
      if (++lines > MAX_LINES) return false;
    }
    return false;
  } catch {
    return false;
  } finally {
    sent.destroy();
  }
}
