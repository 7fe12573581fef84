import { KubeError } from '../errors.ts';
import { apiPath } from '../kube/api-path.ts';
import type { KubeClient, KubeRequest } from '../kube/client.ts';
import { policyRuleText } from '../kube/policy-rule.ts';
import type { Refused, Store, StoreRead, StoreWrite } from './store.ts';

export interface ConfigMapPlace {
  readonly namespace: string;
  readonly name: string;
  /** The option that names another place, such as `--schedule-state`. */
  readonly option: string;
}

const RULE = policyRuleText({ apiGroup: '', resource: 'configmaps', verbs: ['get', 'create', 'patch'] });

/** Texts in a ConfigMap, which is created when the first one is written. */
export class ConfigMapStore implements Store {
  readonly place: string;
  readonly #client: Pick<KubeClient, 'request'>;
  readonly #at: ConfigMapPlace;
  /** Of the ConfigMap as it was last seen; undefined: there was none. */
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
      // Gone: it was deleted, so that what is in it now must be looked at again.
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

  /** What the server refuses, it refuses again; anything else is thrown. */
  #refused(error: unknown): Refused {
    if (!(error instanceof KubeError) || error.isRetryable || PASSING.includes(error.status)) throw error;
    const advice =
      error.status === 403
        ? `a Role in namespace ${this.#at.namespace} with the rule ${RULE}`
        : `look at ${this.place}; ${this.#at.option} names another place`;
    return { type: 'refused', error, advice };
  }

  get #collection(): string {
    return apiPath('api', 'v1', 'namespaces', this.#at.namespace, 'configmaps');
  }

  get #path(): string {
    return apiPath('api', 'v1', 'namespaces', this.#at.namespace, 'configmaps', this.#at.name);
  }
}

/** Credentials, a namespace that is yet to be made, a position that is too old. */
const PASSING: readonly number[] = [401, 404, 410];

function isStatus(error: unknown, status: number): boolean {
  return error instanceof KubeError && error.status === status;
}

function memberOf(value: unknown, key: string): object | string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const member: unknown = new Map(Object.entries(value)).get(key);
  if (typeof member === 'string') return member;
  return typeof member === 'object' && member !== null ? member : undefined;
}
