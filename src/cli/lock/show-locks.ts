import { KubeError } from '../../errors.ts';
import { apiPath } from '../../kube/api-path.ts';
import { leaseOf, leaseStore, type Lease } from '../../kube/coordination/lease.ts';
import { foreignText, heldText, holderOf, isLock, LOCK_LABEL } from '../../kube/coordination/lock-words.ts';
import { asJsonObject, text } from '../../kube/object.ts';
import { durationText } from '../../lib/duration-text.ts';
import { printable } from '../../lib/printable.ts';
import { textTable } from '../text/text-table.ts';
import { lockName, type LockFlags, type LockIo } from './lock-io.ts';

const PAGE = 500;
const LIMIT = { signal: new AbortController().signal, timeoutMs: 10_000 };

/** `hooklet lock list`: prints the locks of a namespace, or of all; resolves to the exit code. */
export async function listLocks({ allNamespaces = false }: LockFlags, io: LockIo): Promise<number> {
  const leases = await readAll(allNamespaces ? undefined : io.namespace, io);
  if (leases.length === 0) {
    io.stdout(allNamespaces ? 'no locks\n' : `no locks in the namespace ${io.namespace}\n`);
    return 0;
  }
  const rows = leases.map((lease) => {
    const { namespace, name } = asJsonObject(lease.object['metadata']);
    const { holder, sinceMs, renewedMs } = holderOf(lease);
    const isHeld = lease.holder !== '';
    return [text(namespace), text(name), holder, isHeld ? ageText(sinceMs) : '', isHeld ? ageText(renewedMs) : ''];
  });
  io.stdout(textTable(['NAMESPACE', 'NAME', 'HOLDER', 'AGE', 'RENEWED'], rows));
  return 0;
}

/** `hooklet lock show`: prints who holds a lock; resolves to the exit code. */
export async function showLock(given: string, io: LockIo): Promise<number> {
  const { key, lease } = await readLock(given, io);
  if (lease === undefined || lease.holder === '') {
    io.stdout(`the lock ${key} is free\n`);
    return 0;
  }
  const { renewedMs } = holderOf(lease);
  io.stdout(`${printable(heldText(key, holderOf(lease), Date.now()))}\n`);
  io.stdout(`renewed ${ageText(renewedMs)} ago by the clock of its holder\n`);
  io.stdout(`others take it when they see no renewal for ${durationText(lease.durationMs)}\n`);
  return 0;
}

/** Reads a lock; throws for a Lease that is none. */
export async function readLock(
  given: string,
  { client, namespace }: LockIo,
): Promise<{ readonly key: string; readonly lease: Lease | undefined }> {
  const name = lockName(given);
  const key = `${namespace}/${name}`;
  const lease = await leaseStore({ client, namespace, name }).read(LIMIT);
  if (lease !== undefined && !isLock(lease)) {
    throw new KubeError(foreignText(key, lease), { status: 409, reason: 'Conflict' });
  }
  return { key, lease };
}

async function readAll(namespace: string | undefined, { client }: LockIo): Promise<readonly Lease[]> {
  const place = namespace === undefined ? [] : ['namespaces', namespace];
  const path = apiPath('apis', 'coordination.k8s.io', 'v1', ...place, 'leases');
  const leases: Lease[] = [];
  for (let token: string | undefined; token !== '';) {
    const query = { labelSelector: `${LOCK_LABEL}=true`, limit: String(PAGE), ...(token && { continue: token }) };
    const list = asJsonObject(await client.request({ method: 'GET', path, query }, LIMIT.signal));
    if (Array.isArray(list['items'])) leases.push(...list['items'].map(leaseOf));
    token = text(asJsonObject(list['metadata'])['continue']);
  }
  return leases;
}

function ageText(timeMs: number | undefined): string {
  return timeMs === undefined ? 'unknown' : durationText(Math.max(0, Date.now() - timeMs));
}
