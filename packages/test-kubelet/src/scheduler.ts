import type { V1Pod } from '@kubernetes/client-node';
import { at, insist, type Api } from './api.ts';
import type { Claims } from './claims.ts';

/** Binds pods to the only node, each as soon as its claims are bound; there are no other constraints. */
export class Scheduler {
  readonly #api: Api;
  readonly #claims: Claims;
  readonly #nodeName: string;
  readonly #pending = new Map<string, V1Pod>();
  readonly #told = new Map<string, string>();

  constructor(api: Api, claims: Claims, nodeName: string) {
    this.#api = api;
    this.#claims = claims;
    this.#nodeName = nodeName;
  }

  /** Handles a new or changed pod. */
  async apply(pod: V1Pod): Promise<void> {
    if (isToBeScheduled(pod)) {
      this.#pending.set(pod.metadata?.uid ?? '', pod);
      await this.#schedule(pod);
    } else this.remove(pod);
  }

  remove({ metadata = {} }: V1Pod): void {
    this.#pending.delete(metadata.uid ?? '');
    this.#told.delete(metadata.uid ?? '');
  }

  /** Handles a change of claims: tries all pending pods again. */
  async retry(): Promise<void> {
    await Promise.all([...this.#pending.values()].map((pod) => this.#schedule(pod)));
  }

  async #schedule(pod: V1Pod): Promise<void> {
    const { name = '', namespace = '', uid = '' } = pod.metadata ?? {};
    const problem = claimsOf(pod)
      .map((claim) => this.#claims.problemOf(namespace, claim))
      .find((found) => found !== undefined);
    if (problem !== undefined) {
      await this.#tell(pod, problem);
      return;
    }
    this.#pending.delete(uid);
    const binding = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name, namespace, uid },
      target: { apiVersion: 'v1', kind: 'Node', name: this.#nodeName },
    };
    await insist(() => this.#api.create(at(namespace, 'pods', name, 'binding'), binding), this.#api.signal);
  }

  async #tell({ metadata = {} }: V1Pod, message: string): Promise<void> {
    const { name = '', namespace = '', uid = '' } = metadata;
    if (this.#told.get(uid) === message) return;
    this.#told.set(uid, message);
    const lastTransitionTime = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
    const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, lastTransitionTime };
    const change = { metadata: { uid }, status: { conditions: [condition] } };
    await insist(() => this.#api.patch(at(namespace, 'pods', name, 'status'), change), this.#api.signal);
  }
}

function isToBeScheduled({ metadata, spec }: V1Pod): boolean {
  const { nodeName, schedulerName = 'default-scheduler', schedulingGates = [] } = spec ?? {};
  return (
    nodeName === undefined &&
    metadata?.deletionTimestamp === undefined &&
    schedulerName === 'default-scheduler' &&
    schedulingGates.length === 0
  );
}

function claimsOf({ metadata, spec }: V1Pod): readonly string[] {
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return [persistentVolumeClaim.claimName];
    return ephemeral === undefined ? [] : [`${metadata?.name}-${name}`];
  });
}
