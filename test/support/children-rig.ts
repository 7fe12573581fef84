import type { Sandbox } from '@hooklet/sandbox';
import { isMissing } from '../../src/kube/api-error.ts';
import type { ChildSession } from '../../src/effects/children/child-requests.ts';
import { readLiveChild, type LiveChild } from '../../src/effects/children/live-child.ts';
import { marksOf, PARENT_LABEL, type Parent } from '../../src/effects/children/marks.ts';
import { reachDesiredState, type DesiredStateOutcome } from '../../src/effects/children/reach.ts';
import { removeChildren, type RemovalOutcome } from '../../src/effects/children/remove-children.ts';
import { Tolerance } from '../../src/effects/children/tolerance.ts';
import type { OwnedKind } from '../../src/hook/binding.ts';
import type { DesiredChild, OnChange } from '../../src/hook/result.ts';
import type { KubeClient, KubeRequest } from '../../src/kube/client.ts';
import { resourcePath } from '../../src/kube/kind.ts';
import { createKinds } from '../../src/kube/discovery/kinds.ts';
import { refusalError } from '../../src/kube/status-error.ts';
import { recordingLogger } from './recording-logger.ts';

export type Json = Readonly<Record<string, unknown>>;

/** A parent with children on an API server. */
export interface ChildrenRig {
  readonly parent: Parent;
  readonly session: ChildSession;
  /** The requests for children since the last `reach`, as `PATCH /api/v1/…`. */
  readonly requests: readonly string[];
  /** One Reconcile with this answer; what is there is read before, as a watch would show it. */
  reach(desired: readonly (Json | DesiredChild)[], options?: ReachOptions): Promise<DesiredStateOutcome>;
  /** The removal of what is not deleted with the parent. */
  remove(owns?: readonly OwnedKind[]): Promise<RemovalOutcome>;
  /** A request of somebody else. */
  send(request: KubeRequest): Promise<Json>;
  /** An object, or undefined. */
  read(path: string): Promise<Json | undefined>;
}

export interface ReachOptions {
  readonly owns?: readonly OwnedKind[];
  /** In place of what is there. */
  readonly live?: readonly LiveChild[];
  readonly session?: Partial<ChildSession>;
  readonly parent?: Parent;
}

/** A kind that the binding owns. */
export function owned(kind: string, onChange: OnChange = 'Apply', fields: Partial<OwnedKind> = {}): OwnedKind {
  return { kind, onChange, otherNamespaces: false, keepFullObjectsInMemory: true, ...fields };
}

/** A child with the names that it comes after. */
export function after(names: readonly string[], object: Json): DesiredChild {
  return { object, after: names };
}

/** A rig whose parent is a ConfigMap that is made in the namespace. */
export async function startChildrenRig(client: Pick<KubeClient, 'request'>, namespace: string): Promise<ChildrenRig> {
  const { signal } = new AbortController();
  const send = async (request: KubeRequest): Promise<Json> => (await client.request(request, signal)) as Json;
  const requests: string[] = [];
  const counting: Pick<KubeClient, 'request'> = {
    request: async (request, at) => {
      const query = request.query?.['dryRun'] === undefined ? '' : '?dryRun';
      requests.push(`${request.method} ${request.path}${query}`);
      return client.request(request, at);
    },
  };
  const kinds = createKinds(client);
  const session: ChildSession = { client: counting, kinds, tolerance: new Tolerance(), signal, log: recordingLogger() };
  const identity = { apiVersion: 'v1', kind: 'ConfigMap' };
  const maps = `/api/v1/namespaces/${namespace}/configmaps`;
  const made = await send({
    method: 'POST',
    path: maps,
    body: JSON.stringify({ ...identity, metadata: { name: 'parent' } }),
  });
  const parent: Parent = { ...identity, namespace, name: 'parent', uid: uidOf(made) };
  const liveOf = async (owns: readonly OwnedKind[], of: Parent): Promise<readonly LiveChild[]> => {
    const lists = owns.map(async (rule) => {
      const kind = await kinds.resolve(rule, signal);
      const query = { labelSelector: `${PARENT_LABEL}=${of.uid}` };
      const list = await send({ method: 'GET', path: resourcePath(kind, {}), query });
      const items = list['items'] as readonly Json[];
      return items.map((item) =>
        readLiveChild({ ...item, apiVersion: kind.apiVersion, kind: kind.kind }, marksOf('sites', of)),
      );
    });
    return (await Promise.all(lists)).flat();
  };
  return {
    parent,
    session,
    requests,
    reach: async (desired, { owns = [owned('ConfigMap')], live, session: other, parent: of = parent } = {}) => {
      const present = live ?? (await liveOf(owns, of));
      requests.length = 0;
      const children = desired.map((child) =>
        'object' in child && 'after' in child ? (child as DesiredChild) : after([], child),
      );
      return reachDesiredState(
        { binding: { name: 'sites', owns }, parent: of, live: present, desired: children },
        { ...session, ...other },
      );
    },
    remove: async (owns = [owned('ConfigMap')]) => {
      const live = await liveOf(owns, parent);
      requests.length = 0;
      return removeChildren({ binding: { name: 'sites' }, parent, live }, session);
    },
    send,
    read: async (path) => {
      try {
        return await send({ method: 'GET', path });
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
  };
}

/** A client that reaches a sandbox without sockets. */
export function sandboxClient(sandbox: Sandbox): Pick<KubeClient, 'request'> {
  return {
    async request({ method, path, query, body, contentType }) {
      const search = query === undefined ? '' : `?${new URLSearchParams({ ...query }).toString()}`;
      const sent = body === undefined ? undefined : JSON.parse(String(body));
      const answer = await sandbox.call(method, `${path}${search}`, sent, contentType);
      if (answer.code < 300) return structuredClone(answer.body);
      const refused = { status: answer.code, headers: {}, body: JSON.stringify(answer.body) };
      throw refusalError(`${method} ${path}`, refused);
    },
  };
}

/** A ConfigMap with data. */
export function map(name: string, data: Json = {}, metadata: Json = {}): Json {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data };
}

/** What was done, in short: `created Kind/name`. */
export function changes({ applied }: Pick<DesiredStateOutcome, 'applied'>): readonly string[] {
  return applied.map(({ applied: { change }, operation }) => `${change} ${operation.target.kind}/${operation.name}`);
}

/** `metadata.uid`. */
export function uidOf(object: Json): string {
  const { uid } = object['metadata'] as { readonly uid: string };
  return uid;
}
