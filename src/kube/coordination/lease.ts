import { KubeError } from '../../errors.ts';
import { apiPath } from '../api-path.ts';
import type { KubeClient } from '../client.ts';
import { withNeededRule } from '../missing-right.ts';
import { asJsonObject } from '../object.ts';
import type { PolicyRule } from '../policy-rule.ts';
import { isObject, type JsonObject } from '../../lib/json-object.ts';

/** A coordination.k8s.io/v1 Lease as it was read. */
export interface Lease {
  /** Empty when nobody holds the lease. */
  readonly holder: string;
  readonly durationMs: number;
  readonly transitions: number;
  /** Changes whenever somebody renews, takes or releases the lease. */
  readonly fingerprint: string;
  /** The object as read; updates are based on it. */
  readonly object: Readonly<Record<string, unknown>>;
}

/** What to write into a Lease. */
export interface LeaseClaim {
  readonly holder: string;
  readonly durationMs: number;
  readonly nowMs: number;
  /** Added to those that the Lease has. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The Lease object to use, and the client to reach it. */
export interface LeasePlace {
  readonly client: Pick<KubeClient, 'request'>;
  readonly namespace: string;
  readonly name: string;
  /** What the Lease has after each write, whatever else it has; default none. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The verbs of the rule that a 403 is rejected with; default those for this Lease alone. */
  readonly verbs?: readonly string[];
}

/** The limits of one request for the Lease. */
export interface LeaseRequestOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** Reads and writes one Lease. A write fails with 409 when somebody else has written since the lease was read. */
export interface LeaseStore {
  /** Returns undefined when the Lease does not exist. */
  read(options: LeaseRequestOptions): Promise<Lease | undefined>;
  /** Creates the Lease when `before` is undefined, else updates it. */
  write(claim: LeaseClaim, before: Lease | undefined, options: LeaseRequestOptions): Promise<Lease>;
}

const VERBS = ['get', 'create', 'update'];

/** Returns the store of one Lease; a 403 is rejected with the rule that a Role must grant. */
export function leaseStore({ client, namespace, name, labels, verbs = VERBS }: LeasePlace): LeaseStore {
  const rule: PolicyRule = { apiGroup: 'coordination.k8s.io', resource: 'leases', verbs };
  const place = ['apis', 'coordination.k8s.io', 'v1', 'namespaces', namespace, 'leases'];
  const folder = apiPath(...place);
  const path = apiPath(...place, name);
  return {
    async read({ signal, timeoutMs }) {
      try {
        return leaseOf(await client.request({ method: 'GET', path, timeoutMs }, signal));
      } catch (error) {
        if (error instanceof KubeError && error.status === 404 && error.reason === 'NotFound') return undefined;
        throw withNeededRule(error, { namespace, rule });
      }
    },
    async write(claim, before, { signal, timeoutMs }) {
      const body = JSON.stringify(claimed(claim, before, { namespace, name, ...(labels && { labels }) }));
      const request =
        before === undefined
          ? ({ method: 'POST', path: folder, body, timeoutMs } as const)
          : ({ method: 'PUT', path, body, timeoutMs } as const);
      try {
        return leaseOf(await client.request(request, signal));
      } catch (error) {
        throw withNeededRule(error, { namespace, rule });
      }
    },
  };
}

const MAX_INT32 = 2_147_483_647;

/** Whether a write failed because somebody has written or deleted the lease since `before` was read. */
export function isOutdated(error: unknown, before: Lease | undefined): boolean {
  if (!(error instanceof KubeError)) return false;
  return error.status === 409 || (error.status === 404 && before !== undefined);
}

function claimed(
  { holder, durationMs, nowMs, annotations }: LeaseClaim,
  before: Lease | undefined,
  metadata: Pick<LeasePlace, 'namespace' | 'name' | 'labels'>,
): unknown {
  // Kubernetes expects microseconds here.
  const now = new Date(nowMs).toISOString().replace('Z', '000Z');
  const isTaken = before?.holder !== holder;
  const object = before?.object ?? {};
  const old = recordAt(object, 'spec');
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    ...object,
    metadata: marked(object['metadata'] ?? metadata, { labels: metadata.labels, annotations }),
    spec: {
      ...old,
      holderIdentity: holder,
      leaseDurationSeconds: Math.max(1, Math.ceil(durationMs / 1000)),
      acquireTime: isTaken ? now : (old['acquireTime'] ?? now),
      renewTime: now,
      // A release is not a transition; the next acquisition is.
      leaseTransitions:
        before === undefined ? 0 : Math.min(MAX_INT32, before.transitions + (isTaken && holder !== '' ? 1 : 0)),
    },
  };
}

function marked(value: unknown, { labels, annotations }: Marks): JsonObject {
  const metadata = asJsonObject(value);
  return {
    ...metadata,
    ...(labels && { labels: { ...asJsonObject(metadata['labels']), ...labels } }),
    ...(annotations && { annotations: { ...asJsonObject(metadata['annotations']), ...annotations } }),
  };
}

interface Marks {
  readonly labels: LeasePlace['labels'];
  readonly annotations: LeaseClaim['annotations'];
}

/** A Lease as the API server returned it. */
export function leaseOf(answer: unknown): Lease {
  const object = isObject(answer) ? answer : {};
  const spec = recordAt(object, 'spec');
  const { holderIdentity, leaseDurationSeconds, leaseTransitions } = spec;
  return {
    holder: typeof holderIdentity === 'string' ? holderIdentity : '',
    durationMs: typeof leaseDurationSeconds === 'number' ? leaseDurationSeconds * 1000 : 0,
    transitions: typeof leaseTransitions === 'number' ? leaseTransitions : 0,
    fingerprint: JSON.stringify(spec),
    object,
  };
}

function recordAt(object: Readonly<Record<string, unknown>>, key: string): Readonly<Record<string, unknown>> {
  const value = object[key];
  return isObject(value) ? value : {};
}
