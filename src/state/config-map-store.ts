import { KubeError } from '../errors.ts';
import { apiPath } from '../kube/api-path.ts';
import type { KubeClient, KubeRequest } from '../kube/client.ts';
import { policyRuleText } from '../kube/policy-rule.ts';
import type { Refused, Store, StoreRead, StoreWrite } from './store.ts';

/** The ConfigMap of a store, and the option that selects it. */
export interface ConfigMapPlace {
  readonly namespace: string;
  readonly name: string;
  /** The option that selects another place, such as `--schedule-state`. */
  readonly option: string;
}

const RULE = policyRuleText({ apiGroup: '', resource: 'configmaps', verbs: ['get', 'create', 'patch'] });

/**
 * A store in a ConfigMap, which is created by the first write. Its resourceVersion detects the writes of other
 * processes.
 */
export class ConfigMapStore implements Store {
  readonly place: string;
  readonly #client: Pick<KubeClient, 'request'>;
  readonly #at: ConfigMapPlace;
  /** The resourceVersion last read or written; undefined when the ConfigMap did not exist. */
  #version: string | undefined;

  constructor(client: Pick<KubeClient, 'request'>, at: ConfigMapPlace) {
    this.#client = client;
    this.#at = at;
    this.place = `ConfigMap ${at.namespace}/${at.name}`;
  }

  async read(signal: AbortSignal): Promise<StoreRead> {
    try {
      const found = await this.#send({ method: 'GET', path: this.#path }, signal);
      return { type: 'read', texts: new Map(Object.entries(found)) };
    } catch (error) {
      if (!isStatus(error, 404)) return this.#refused(error);
      this.#version = undefined;
      return { type: 'read', texts: new Map() };
    }
  }

  async write(changes: ReadonlyMap<string, string>, signal: AbortSignal): Promise<StoreWrite> {
    try {
      await this.#send(this.#request(Object.fromEntries(changes)), signal);
      return { type: 'written' };
    } catch (error) {
      // A 404 means that it was deleted since: the store must be read again.
      const isGone = this.#version !== undefined && isStatus(error, 404);
      return isGone || isStatus(error, 409) ? { type: 'conflict' } : this.#refused(error);
    }
  }

  #request(data: Readonly<Record<string, string>>): KubeRequest {
    const { name, namespace } = this.#at;
    if (this.#version === undefined) {
      const metadata = { name, namespace, labels: { 'app.kubernetes.io/managed-by': 'hooklet' } };
      const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
      return { method: 'POST', path: this.#collection, body };
    }
    const body = JSON.stringify({ metadata: { resourceVersion: this.#version }, data });
    return { method: 'PATCH', path: this.#path, contentType: 'application/merge-patch+json', body };
  }

  async #send(request: KubeRequest, signal: AbortSignal): Promise<Readonly<Record<string, string>>> {
    const object = await this.#client.request(request, signal);
    const metadata = memberOf(object, 'metadata');
    const version = memberOf(metadata, 'resourceVersion');
    this.#version = typeof version === 'string' ? version : undefined;
    const texts = Object.entries(memberOf(object, 'data') ?? {});
    return Object.fromEntries(texts.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  }

  /** Returns a refusal that will not pass by itself; throws any other error. */
  #refused(error: unknown): Refused {
    if (!(error instanceof KubeError) || error.isRetryable || MAY_PASS.includes(error.status)) throw error;
    const advice =
      error.status === 403
        ? `a Role in namespace ${this.#at.namespace} with the rule ${RULE}`
        : `a valid ${this.place}, or another place with ${this.#at.option}`;
    return { type: 'refused', error, advice };
  }

  get #collection(): string {
    return apiPath('api', 'v1', 'namespaces', this.#at.namespace, 'configmaps');
  }

  get #path(): string {
    return apiPath('api', 'v1', 'namespaces', this.#at.namespace, 'configmaps', this.#at.name);
  }
}

/** Statuses that may pass: missing credentials, a namespace that does not exist yet, an expired resourceVersion. */
const MAY_PASS: readonly number[] = [401, 404, 410];

function isStatus(error: unknown, status: number): boolean {
  return error instanceof KubeError && error.status === status;
}

function memberOf(value: unknown, key: string): object | string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const member: unknown = new Map(Object.entries(value)).get(key);
  if (typeof member === 'string') return member;
  return typeof member === 'object' && member !== null ? member : undefined;
}
