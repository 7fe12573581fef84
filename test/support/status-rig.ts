import { onTestFinished, vi } from 'vitest';
import type { WantedStatus } from '../../src/effects/status-plan.ts';
import { StatusMemory } from '../../src/effects/status-memory.ts';
import { writeStatus, type StatusOutcome, type StatusTarget } from '../../src/effects/write-status.ts';
import type { Condition } from '../../src/hook/result.ts';
import type { Cluster } from '../../src/kube/credentials/cluster.ts';
import { createKinds } from '../../src/kube/discovery/kinds.ts';
import { createKubeClient } from '../../src/kube/kube-client.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { recordingLogger } from './recording-logger.ts';

const DEFINITION_MS = 50_000;
export const GROUP = 'status.example.com';
const never = new AbortController().signal;

/** A condition as a hook gives it. */
export function condition(type: string, status: Condition['status'], message = ''): Condition {
  return { type, status, reason: 'Tested', message };
}

/** An object with its status, as the tests read it. */
export interface ReadObject {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly status?: { readonly conditions?: readonly Readonly<Record<string, unknown>>[] } & Readonly<
    Record<string, unknown>
  >;
}

export type StatusRig = Awaited<ReturnType<typeof startStatusRig>>;

/** The kinds of these tests, in a namespace of one test; `nowMs` is the clock of the writer. */
export async function startStatusRig(cluster: Cluster) {
  const real = createKubeClient(cluster, { userAgent: 'hooklet-test' });
  onTestFinished(() => real.close());
  const requests: string[] = [];
  const meddling = { before: async (_number: number): Promise<void> => {} };
  const client: Pick<KubeClient, 'request'> = {
    async request(request, signal) {
      requests.push(`${request.method} ${request.path.split('/').at(-1)}`);
      await meddling.before(requests.length);
      return real.request(request, signal);
    },
  };
  const namespace = `status-${crypto.randomUUID()}`;
  await call('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  for (const definition of DEFINITIONS) {
    await call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition).catch(() => undefined);
    const { kind } = definition.spec.names;
    await vi.waitFor(async () => call('GET', pathOf(kind)), { timeout: DEFINITION_MS, interval: 50 });
  }
  const kinds = createKinds(real);
  for (const { spec } of DEFINITIONS) {
    // A server serves a new kind before discovery lists it.
    const resolve = async () => kinds.resolve({ kind: spec.names.kind, apiVersion: `${GROUP}/v1` }, never);
    await vi.waitFor(resolve, { timeout: DEFINITION_MS, interval: 50 });
  }

  async function call(method: 'GET' | 'POST' | 'DELETE', path: string, object?: object): Promise<unknown> {
    return real.request({ method, path, ...(object !== undefined && { body: JSON.stringify(object) }) }, never);
  }

  function pathOf(kind: string, name?: string): string {
    const collection = `/apis/${GROUP}/v1/namespaces/${namespace}/${kind.toLowerCase()}s`;
    return name === undefined ? collection : `${collection}/${name}`;
  }

  async function readObject(kind: string, name = 'a'): Promise<ReadObject> {
    return JSON.parse(JSON.stringify(await call('GET', pathOf(kind, name))));
  }

  const clock = { nowMs: Date.parse('2026-01-05T03:00:00Z') };
  const memory = new StatusMemory(() => clock.nowMs);
  const session = { client, kinds, memory, now: () => clock.nowMs, log: recordingLogger() };
  return {
    namespace,
    clock,
    requests,
    /** Called before each request is sent, with its number since the last call of `sent`. */
    meddling,
    client: real,
    kinds,
    pathOf,
    read: readObject,
    /** The requests since the last call, such as `PATCH status`. */
    sent: (): readonly string[] => requests.splice(0),
    remove: async (kind: string, name = 'a') => call('DELETE', pathOf(kind, name)),
    make: async (kind: string, name = 'a', fields: object = {}): Promise<ReadObject> => {
      const object = { apiVersion: `${GROUP}/v1`, kind, metadata: { name, namespace }, spec: { a: 1 }, ...fields };
      return JSON.parse(JSON.stringify(await call('POST', pathOf(kind), object)));
    },
    /** Merge-patches an object, or its status, as somebody else. */
    patch: async (place: { readonly kind: string; readonly subresource?: string }, change: object) => {
      const path = `${pathOf(place.kind, 'a')}${place.subresource === undefined ? '' : `/${place.subresource}`}`;
      const contentType = 'application/merge-patch+json';
      const query = { fieldManager: 'somebody' };
      return real.request({ method: 'PATCH', path, query, body: JSON.stringify(change), contentType }, never);
    },
    /** Applies a status as another field manager. */
    apply: async (kind: string, status: object) => {
      const body = JSON.stringify({ apiVersion: `${GROUP}/v1`, kind, metadata: { name: 'a', namespace }, status });
      const contentType = 'application/apply-patch+yaml';
      const query = { fieldManager: 'somebody', force: 'true' };
      return real.request({ method: 'PATCH', path: `${pathOf(kind, 'a')}/status`, query, body, contentType }, never);
    },
    write: async (
      kind: string,
      wanted: Partial<WantedStatus>,
      target: Partial<StatusTarget> = {},
    ): Promise<StatusOutcome> =>
      writeStatus(
        session,
        { apiVersion: `${GROUP}/v1`, kind, namespace, name: 'a', ...target },
        { conditions: [], ...wanted },
        never,
      ),
  };
}

const text = { type: 'string' };
const conditionFields = { type: text, status: text, reason: text, message: text };
const wholeCondition = { ...conditionFields, lastTransitionTime: text, observedGeneration: { type: 'integer' } };

/** `Mapped` has conditions by type, `Listed` a list with one owner, `Plain` a schema without the runner's fields. */
const DEFINITIONS = [
  definition('Mapped', {
    conditions: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      items: { type: 'object', required: ['type'], properties: wholeCondition },
    },
    observedGeneration: { type: 'integer' },
    phase: text,
    size: { type: 'integer' },
    detail: { type: 'object', additionalProperties: text },
  }),
  definition('Listed', {
    conditions: { type: 'array', items: { type: 'object', properties: wholeCondition } },
    phase: text,
    observedGeneration: { type: 'integer' },
  }),
  definition('Plain', {
    conditions: { type: 'array', items: { type: 'object', properties: conditionFields } },
    phase: { ...text, maxLength: 10 },
  }),
  definition('Bare', undefined),
];

function definition(kind: string, status: object | undefined) {
  const plural = `${kind.toLowerCase()}s`;
  const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const properties = {
    spec: anything,
    ...(status !== undefined && { status: { type: 'object', properties: status } }),
  };
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: 'object', properties } },
    ...(status !== undefined && { subresources: { status: {} } }),
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind },
      versions: [version],
    },
  };
}
