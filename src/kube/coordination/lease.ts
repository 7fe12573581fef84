import { KubeError } from '../../errors.ts';
import { apiPath } from '../api-path.ts';
import type { KubeClient } from '../client.ts';
import { policyRuleText } from '../policy-rule.ts';

/** A coordination.k8s.io/v1 Lease as it was read. */
export interface Lease {
  /** Empty: nobody. */
  readonly holder: string;
  readonly durationMs: number;
  readonly transitions: number;
  /** The same text as long as nobody renewed, took or released it. */
  readonly fingerprint: string;
  /** As it came, for the update. */
  readonly object: Readonly<Record<string, unknown>>;
}

/** What is written into a Lease. */
export interface LeaseClaim {
  readonly holder: string;
  readonly durationMs: number;
  readonly nowMs: number;
}

export interface LeasePlace {
  readonly client: Pick<KubeClient, 'request'>;
  readonly namespace: string;
  readonly name: string;
}

export interface LeaseRequestOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** Reads and writes one Lease; each write fails with 409 when somebody else wrote since it was read. */
export interface LeaseStore {
  /** Undefined when there is none. */
  read(options: LeaseRequestOptions): Promise<Lease | undefined>;
  /** Creates it, or updates what was read before. */
  write(claim: LeaseClaim, before: Lease | undefined, options: LeaseRequestOptions): Promise<Lease>;
}

const RULE = policyRuleText({
  apiGroup: 'coordination.k8s.io',
  resource: 'leases',
  verbs: ['get', 'create', 'update'],
});

export function leaseStore({ client, namespace, name }: LeasePlace): LeaseStore {
  const place = ['apis', 'coordination.k8s.io', 'v1', 'namespaces', namespace, 'leases'];
  const folder = apiPath(...place);
  const path = apiPath(...place, name);
  return {
    async read({ signal, timeoutMs }) {
      try {
        return leaseOf(await client.request({ method: 'GET', path, timeoutMs }, signal));
      } catch (error) {
        if (error instanceof KubeError && error.status === 404 && error.reason === 'NotFound') return undefined;
        throw withRule(error, namespace);
      }
    },
    async write(claim, before, { signal, timeoutMs }) {
      const body = JSON.stringify(claimed(claim, before, { namespace, name }));
      const request =
        before === undefined
          ? ({ method: 'POST', path: folder, body, timeoutMs } as const)
          : ({ method: 'PUT', path, body, timeoutMs } as const);
      try {
        return leaseOf(await client.request(request, signal));
      } catch (error) {
        throw withRule(error, namespace);
      }
    },
  };
}

function claimed(
  { holder, durationMs, nowMs }: LeaseClaim,
  before: Lease | undefined,
  metadata: { readonly namespace: string; readonly name: string },
): unknown {
  // Kubernetes wants microseconds here.
  const now = new Date(nowMs).toISOString().replace('Z', '000Z');
  const isTaken = before?.holder !== holder;
  const old = recordAt(before?.object ?? {}, 'spec');
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata,
    ...before?.object,
    spec: {
      ...old,
      holderIdentity: holder,
      leaseDurationSeconds: Math.max(1, Math.ceil(durationMs / 1000)),
      acquireTime: isTaken ? now : (old['acquireTime'] ?? now),
      renewTime: now,
      // A release is no transition: the one who takes it next is.
      leaseTransitions: before === undefined ? 0 : before.transitions + (isTaken && holder !== '' ? 1 : 0),
    },
  };
}

function leaseOf(answer: unknown): Lease {
  const object = isRecord(answer) ? answer : {};
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

/** What the API server forbids, with what a Role needs. */
function withRule(error: unknown, namespace: string): unknown {
  if (!(error instanceof KubeError) || error.status !== 403) return error;
  const { message, status, reason } = error;
  return new KubeError(
    `${message}; a Role in the namespace ${namespace} needs the rule ${RULE}`,
    { status, reason },
    { cause: error },
  );
}

function recordAt(object: Readonly<Record<string, unknown>>, key: string): Readonly<Record<string, unknown>> {
  const value = object[key];
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
