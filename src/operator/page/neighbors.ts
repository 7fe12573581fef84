import { summaryOf } from '../../errors.ts';
import { apiPath } from '../../kube/api-path.ts';
import type { KubeClient } from '../../kube/client.ts';
import { leaseStore } from '../../kube/coordination/lease.ts';
import { asJsonObject, text } from '../../kube/object.ts';
import { within } from '../../lib/deadline.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { LeaseFacts, NeighborFacts, PodFacts } from '../../server/page/model.ts';

export interface NeighborOptions {
  readonly client: Pick<KubeClient, 'request'>;
  readonly namespace: string;
  /** The Pod of this process; undefined where it is not known. */
  readonly pod?: string | undefined;
  /** Undefined without leader election. */
  readonly lease?: string | undefined;
  readonly now: () => number;
  /** How long a page waits for the API server. */
  readonly limitMs?: number;
}

/** What was learned is shown for so long: open pages ask again and again. */
const KEPT_MS = 10_000;
const LIMIT_MS = 2000;
const MAX_PODS = 50;
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_PROBLEM = 500;
/** Labels that tell Pods of one Deployment or StatefulSet apart. */
const OWN_LABELS = [
  'pod-template-hash',
  'controller-revision-hash',
  'statefulset.kubernetes.io/pod-name',
  'apps.kubernetes.io/pod-index',
];

/**
 * The replicas beside this one, as the API server knows them: the Lease, and the Pods that have the labels of this Pod.
 * What the account may not read is named, and asked for again after 10 s, as all else; pages at the same time share the
 * requests, and no page waits longer than 2 s.
 */
export class Neighbors {
  readonly #options: NeighborOptions;
  #known: { readonly facts: Promise<NeighborFacts>; readonly untilMs: number } | undefined;

  constructor(options: NeighborOptions) {
    this.#options = options;
  }

  readonly look = async (): Promise<NeighborFacts> => {
    const { now, limitMs = LIMIT_MS } = this.#options;
    if (this.#known === undefined || this.#known.untilMs <= now()) {
      this.#known = { facts: this.#read(limitMs), untilMs: now() + KEPT_MS };
    }
    const late: NeighborFacts = { pods: [], problems: [`the API server has not answered within ${limitMs / 1000} s`] };
    return within(this.#known.facts, { limitMs, late: () => late });
  };

  async #read(timeoutMs: number): Promise<NeighborFacts> {
    const problems: string[] = [];
    const tried = async <T>(what: string, work: Promise<T | undefined>): Promise<T | undefined> => {
      try {
        return await work;
      } catch (error) {
        problems.push(`${what}: ${summaryOf(error)}`.slice(0, MAX_PROBLEM));
        return undefined;
      }
    };
    const [lease, pods = []] = await Promise.all([
      tried('the Lease cannot be read', this.#lease(timeoutMs)),
      tried('the Pods beside this one cannot be read', this.#pods(timeoutMs)),
    ]);
    return { pods, problems, ...(lease !== undefined && { lease }) };
  }

  async #lease(timeoutMs: number): Promise<LeaseFacts | undefined> {
    const { lease: name, client, namespace } = this.#options;
    if (name === undefined) return undefined;
    const lease = await leaseStore({ client, namespace, name }).read({ signal: NEVER, timeoutMs });
    if (lease === undefined) return undefined;
    const { renewTime } = asJsonObject(lease.object['spec']);
    const { holder, transitions } = lease;
    const isTime = !Number.isNaN(Date.parse(text(renewTime)));
    return { holder, transitions, ...(isTime && { renewed: new Date(text(renewTime)).toISOString() }) };
  }

  async #pods(timeoutMs: number): Promise<readonly PodFacts[] | undefined> {
    const { client, namespace, pod } = this.#options;
    if (pod === undefined) return undefined;
    const path = apiPath('api', 'v1', 'namespaces', namespace, 'pods');
    const asked = { method: 'GET', timeoutMs, maxBytes: MAX_BYTES } as const;
    const own = await client.request({ ...asked, path: `${path}${apiPath(pod)}` }, NEVER);
    const labelSelector = selectorOf(asJsonObject(asJsonObject(asJsonObject(own)['metadata'])['labels']));
    if (labelSelector === '') return [podFacts(asJsonObject(own))];
    const list = await client.request({ ...asked, path, query: { labelSelector, limit: String(MAX_PODS) } }, NEVER);
    const { items } = asJsonObject(list);
    const pods = Array.isArray(items) ? items.slice(0, MAX_PODS).map((item) => podFacts(asJsonObject(item))) : [];
    return pods.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }
}

/** Requests are shared by pages, so they end with none of them, but at their own limit. */
const NEVER = new AbortController().signal;

function selectorOf(labels: JsonObject): string {
  return Object.entries(labels)
    .filter(([key, value]) => !OWN_LABELS.includes(key) && typeof value === 'string')
    .map(([key, value]) => `${key}=${String(value)}`)
    .join(',');
}

function podFacts(pod: JsonObject): PodFacts {
  const [metadata, spec, status] = [pod['metadata'], pod['spec'], pod['status']].map(asJsonObject);
  const conditions = Array.isArray(status?.['conditions']) ? status['conditions'].map(asJsonObject) : [];
  const containers = Array.isArray(status?.['containerStatuses']) ? status['containerStatuses'] : [];
  const counts = containers.map((one) => Number(asJsonObject(one)['restartCount'] ?? 0)).filter(Number.isFinite);
  const isGoing = metadata?.['deletionTimestamp'] !== undefined;
  return {
    name: text(metadata?.['name']),
    phase: isGoing ? 'Terminating' : text(status?.['phase']),
    isReady: conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
    restarts: counts.reduce((sum, count) => sum + count, 0),
    node: text(spec?.['nodeName']),
  };
}
