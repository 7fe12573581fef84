import { KubeError } from '../../../errors.ts';
import { isObject } from '../../../lib/json-object.ts';
import { apiPath } from '../../api-path.ts';
import { isConflict, isMissing } from '../../api-error.ts';
import { withNeededRule } from '../../missing-right.ts';
import { asJsonObject, malformed, text } from '../../object.ts';
import { isOutdated, leaseOf, leaseStore, type Lease, type LeasePlace, type LeaseRequestOptions } from '../lease.ts';
import { endedClaim } from './member-lease.ts';
import { memberPrefix, SHARDS_LABEL, shardsLabel } from './member-words.ts';
import type { SeenLease } from './seen-members.ts';

/** The Leases of all members. */
export interface MemberLeases {
  /** All of them, by name. */
  list(options: LeaseRequestOptions): Promise<ReadonlyMap<string, Lease>>;
  /** Writes that a member has ended; returns undefined when its Lease is not as it was seen any more. */
  end(seen: SeenLease, nowMs: number, options: LeaseRequestOptions): Promise<Lease | undefined>;
  /** Deletes the Lease if it is as it was seen. */
  remove(seen: SeenLease, options: LeaseRequestOptions): Promise<void>;
}

const MAX_BYTES = 16 * 1024 * 1024;
const LEASES = { apiGroup: 'coordination.k8s.io', resource: 'leases' };
/** What a member does with Leases. */
export const MEMBER_VERBS = ['get', 'list', 'create', 'update', 'delete'];
const RULE = { ...LEASES, verbs: MEMBER_VERBS };

/** Returns the Leases of the members of `name`; a 403 is rejected with the rule that a Role must grant. */
export function memberLeases({ client, namespace, name }: LeasePlace): MemberLeases {
  const folder = ['apis', LEASES.apiGroup, 'v1', 'namespaces', namespace, 'leases'];
  const labels = { [SHARDS_LABEL]: shardsLabel(name) };
  const query = { labelSelector: `${SHARDS_LABEL}=${shardsLabel(name)}` };
  const refused = (error: unknown): unknown => withNeededRule(error, { namespace, rule: RULE });
  return {
    async list({ signal, timeoutMs }) {
      const request = { method: 'GET', path: apiPath(...folder), query, timeoutMs, maxBytes: MAX_BYTES } as const;
      try {
        return leasesIn(await client.request(request, signal), memberPrefix(name));
      } catch (error) {
        throw refused(error);
      }
    },
    async end({ leaseName, lease }, nowMs, options) {
      const store = leaseStore({ client, namespace, name: leaseName, labels, verbs: MEMBER_VERBS });
      try {
        return await store.write(endedClaim(nowMs), lease, options);
      } catch (error) {
        if (isOutdated(error, lease)) return undefined;
        throw error;
      }
    },
    async remove({ leaseName, lease }, { signal, timeoutMs }) {
      const body = JSON.stringify({ kind: 'DeleteOptions', apiVersion: 'v1', preconditions: preconditionsOf(lease) });
      try {
        await client.request({ method: 'DELETE', path: apiPath(...folder, leaseName), body, timeoutMs }, signal);
      } catch (error) {
        if (!isMissing(error) && !isConflict(error)) throw refused(error);
      }
    },
  };
}

function leasesIn(answer: unknown, prefix: string): ReadonlyMap<string, Lease> {
  const list = asJsonObject(answer);
  const items: unknown = list['items'] ?? [];
  // A part of the members is worse than none: what the others hold would count as free.
  if (!isObject(answer) || !Array.isArray(items) || text(asJsonObject(list['metadata'])['continue']) !== '') {
    throw malformed('a list of Leases that is not complete');
  }
  const leases = items.map((item: unknown) => leaseOf(item)).map((lease) => [nameOf(lease), lease] as const);
  return new Map(leases.filter(([name]) => name.startsWith(prefix)));
}

function nameOf({ object }: Lease): string {
  const name = text(asJsonObject(object['metadata'])['name']);
  if (name === '')
    throw new KubeError('the API server sent a Lease without a name', { status: 0, reason: 'Malformed' });
  return name;
}

function preconditionsOf(lease: Lease | undefined) {
  const { uid, resourceVersion } = asJsonObject(lease?.object['metadata']);
  return { uid: text(uid), resourceVersion: text(resourceVersion) };
}
