import { httpText, type MemberAccess } from './member-access.ts';

/** Whether the leader's metrics show that it is sending its database to a member; false if they cannot be read. */
export async function sendsDatabase(access: MemberAccess, leader: string, memberId: string): Promise<boolean> {
  const sample = `etcd_network_snapshot_send_inflights_total{To="${memberId}"} `;
  const metrics = await httpText(access, leader, '/metrics').catch(() => '');
  const line = metrics.split('\n').find((one) => one.startsWith(sample)) ?? '';
  return Number(line.slice(sample.length)) > 0;
}
