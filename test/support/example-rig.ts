import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { isJsonObject, type JsonObject, type Sandbox, startSandbox } from '@hooklet/sandbox';
import { objectAt, objectsAt, textAt } from '@hooklet/sandbox/testing';
import { exampleWebhooks, hasWebhooks } from './example-webhooks.ts';
import { sandboxCluster, startOperator, type OperatorRig } from './operator-rig.ts';
import { rbacOf, type Rbac } from './rbac.ts';

export const examplesDir = fileURLToPath(new URL('../../examples', import.meta.url));

export interface ExampleRig extends AsyncDisposable {
  readonly sandbox: Sandbox;
  /** The one that runs now. */
  readonly operator: OperatorRig;
  readonly rbac: Rbac;
  /** Where the example is deployed. */
  readonly namespace: string;
  /** What the hooks printed. */
  printed(): readonly string[];
  /** Applies every object of a file in `manifests/try`. */
  tryOut(file: string): Promise<void>;
  apply(object: JsonObject): Promise<void>;
  delete(object: JsonObject): Promise<void>;
  /** Writes the status of the object at an API path. */
  setStatus(path: string, status: JsonObject): Promise<void>;
  /** The object at an API path, undefined when there is none. */
  get(path: string): Promise<JsonObject | undefined>;
  /** The object of a kind of core/v1 in the namespace of the example. */
  find(plural: string, name: string): Promise<JsonObject | undefined>;
  metrics(): Promise<string>;
  /** Stops the operator, and starts another one. */
  restart(): Promise<void>;
}

interface ExampleOptions {
  /** Files of `manifests/try` that are applied before the operator starts. */
  readonly before?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The folder of the hooks in the example. */
  readonly hooks?: string;
  /** Where they are instead, such as on a volume. */
  readonly hooksDir?: string;
}

/**
 * Runs an example as its deploy.yaml says: in its namespace, with the environment of its container and only the rights
 * of its Roles.
 */
export async function startExample(
  name: string,
  { before = [], env = {}, hooks = 'hooks', hooksDir }: ExampleOptions = {},
): Promise<ExampleRig> {
  const folder = join(examplesDir, name);
  const manifests = readManifests(join(folder, 'manifests', 'deploy.yaml'));
  const rbac = rbacOf(manifests);
  // Of requests without HTTP, which may wait for webhooks.
  const admin = new AsyncLocalStorage<true>();
  const deployment = manifests.find(({ kind }) => kind === 'Deployment') ?? {};
  const namespace = textAt(deployment, 'metadata', 'namespace');
  const container = containerEnv(deployment, namespace);
  const webhooks = hasWebhooks(manifests) ? await exampleWebhooks(manifests, container) : undefined;
  const sandbox = await startSandbox({
    authorize: (attributes) => admin.getStore() === true || rbac.authorize(attributes),
    ...(webhooks && { resolveService: webhooks.resolveService }),
  });
  const asAdmin = <T>(call: () => T): T => admin.run(true, call);
  const inNamespace = (object: JsonObject): JsonObject =>
    CLUSTER_KINDS.includes(textAt(object, 'kind'))
      ? object
      : { ...object, metadata: { namespace, ...objectAt(object, 'metadata') } };
  const apply = async (object: JsonObject): Promise<void> => {
    await asAdmin(async () => sandbox.apply(inNamespace(object)));
  };
  const tryOut = async (file: string): Promise<void> => {
    for (const object of readManifests(join(folder, 'manifests', 'try', file))) await apply(object);
  };
  const get = async (path: string): Promise<JsonObject | undefined> => {
    const { code, body } = await asAdmin(async () => sandbox.call('GET', path));
    return code === 200 && isJsonObject(body) ? body : undefined;
  };
  for (const object of manifests) await apply(object);
  for (const file of before) await tryOut(file);
  const start = (): OperatorRig =>
    startOperator({
      hooksDir: hooksDir ?? join(folder, hooks),
      connect: sandboxCluster(sandbox),
      env: { ...container, ...env },
      operator: {
        webhooks: webhooks?.settings,
        webhookDrainMs: 0,
        httpTriggers: container['HOOKLET_HTTP_TRIGGERS'] === 'true',
      },
    });
  let operator = start();
  return {
    sandbox,
    get operator() {
      return operator;
    },
    rbac,
    namespace,
    printed: () => printed(operator),
    tryOut,
    apply,
    delete: async (object) => asAdmin(async () => sandbox.delete(inNamespace(object))),
    async setStatus(path, status) {
      const type = 'application/merge-patch+json';
      const { code } = await asAdmin(async () => sandbox.call('PATCH', `${path}/status`, { status }, type));
      expect(code).toBe(200);
    },
    get,
    find: async (plural, object) => get(`/api/v1/namespaces/${namespace}/${plural}/${object}`),
    metrics: async () => (await fetch(`${operator.url()}/metrics/hooks`)).text(),
    async restart() {
      await operator[Symbol.asyncDispose]();
      operator = start();
    },
    async [Symbol.asyncDispose]() {
      await operator[Symbol.asyncDispose]();
      await sandbox.close();
    },
  };
}

const CLUSTER_KINDS = ['Namespace', 'CustomResourceDefinition', 'ClusterRole', 'ClusterRoleBinding', 'Team'];

/** The objects of a manifest; fails the test when one is broken. */
export function readManifests(path: string): readonly JsonObject[] {
  expect(existsSync(path), `${path} exists`).toBe(true);
  return parseAllDocuments(readFileSync(path, 'utf8')).map((document) => {
    expect(document.errors).toEqual([]);
    const value: unknown = document.toJS();
    if (isJsonObject(value)) return value;
    throw new Error(`${path} holds ${JSON.stringify(value)}, expected Kubernetes objects`);
  });
}

function containerEnv(deployment: JsonObject, namespace: string): Readonly<Record<string, string>> {
  const [container] = objectsAt(deployment, 'spec', 'template', 'spec', 'containers');
  const variables = objectsAt(container, 'env').map((variable) => {
    const isNamespace = textAt(variable, 'valueFrom', 'fieldRef', 'fieldPath') === 'metadata.namespace';
    return [textAt(variable, 'name'), isNamespace ? namespace : textAt(variable, 'value')];
  });
  return Object.fromEntries(variables);
}

function printed({ lines }: OperatorRig): readonly string[] {
  return lines.filter(({ message }) => message === 'hook output').map(({ fields }) => String(fields['line']));
}
