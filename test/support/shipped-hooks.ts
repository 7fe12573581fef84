import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isJsonObject, type JsonObject, type Sandbox, startSandbox } from '@hooklet/sandbox';
import { temporaryFolder } from './hook-rig.ts';
import { sandboxCluster, startOperator, type OperatorRig } from './operator-rig.ts';
import type { Rbac } from './rbac.ts';

const hooksDir = fileURLToPath(new URL('../../hooks', import.meta.url));

export interface ShippedHooks extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly operator: OperatorRig;
  /** The folder of the backups, which the hooks create. */
  readonly backupDir: string;
  /** The object at an API path, undefined when there is none. */
  get(path: string): Promise<JsonObject | undefined>;
  /** Sends requests that the operator's rights do not allow. */
  asAdmin<T>(call: () => T): T;
  /** What the hooks printed. */
  printed(): readonly string[];
  /** The value of a metric whose only label is `hook`. */
  metric(name: string): Promise<number | undefined>;
}

export interface ShippedOptions {
  /** The objects that exist before the operator starts. */
  readonly before?: readonly JsonObject[];
  readonly env?: Readonly<Record<string, string>>;
  /** When absent, everything is allowed. */
  readonly rbac?: Rbac;
}

/** Runs the hooks that ship with the product; the backup hook only if the environment sets a crontab. */
export async function startShippedHooks({ before = [], env = {}, rbac }: ShippedOptions = {}): Promise<ShippedHooks> {
  const tmp = temporaryFolder();
  const backupDir = join(tmp.path, 'backups');
  let isAdmin = false;
  const sandbox = await startSandbox({
    authorize: (attributes) => rbac === undefined || isAdmin || rbac.authorize(attributes),
  });
  // Requests without HTTP are answered before the call returns.
  const asAdmin = <T>(call: () => T): T => {
    isAdmin = true;
    const answer = call();
    isAdmin = false;
    return answer;
  };
  for (const object of before) await asAdmin(async () => sandbox.apply(object));
  const operator = startOperator({
    hooksDir,
    connect: sandboxCluster(sandbox),
    env: { BACKUP_CRONTAB: '@yearly', BACKUP_DIR: backupDir, ...env },
    // Lets a running backup finish.
    operator: { gracePeriodMs: 60_000 },
  });
  return {
    sandbox,
    operator,
    backupDir,
    asAdmin,
    get: async (path) => {
      const { code, body } = await asAdmin(async () => sandbox.call('GET', path));
      return code === 200 && isJsonObject(body) ? body : undefined;
    },
    printed: () =>
      operator.lines.filter(({ message }) => message === 'hook output').map(({ fields }) => String(fields['line'])),
    metric: async (name) => {
      const text = await (await fetch(`${operator.url()}/metrics/hooks`)).text();
      const value = new RegExp(String.raw`^${name}\{[^}]*\} (\S+)$`, 'm').exec(text)?.[1];
      return value === undefined ? undefined : Number(value);
    },
    async [Symbol.asyncDispose]() {
      await operator[Symbol.asyncDispose]();
      await sandbox.close();
      tmp[Symbol.dispose]();
    },
  };
}

/** A ConfigMap to copy, which is also part of the backups. */
export function labelledConfigMap(name: string, data: Readonly<Record<string, string>>): JsonObject {
  const metadata = { name, namespace: 'default', labels: { 'hooklet.dev/copy': 'true' } };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
}

/** A Secret to copy, which is also part of the backups. */
export function labelledSecret(
  name: string,
  stringData: Readonly<Record<string, string>>,
  type = 'Opaque',
): JsonObject {
  const metadata = { name, namespace: 'default', labels: { 'hooklet.dev/copy': 'true' } };
  return { apiVersion: 'v1', kind: 'Secret', metadata, type, stringData };
}

/** A namespace that receives copies. */
export function targetNamespace(name: string, value = 'true'): JsonObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { 'hooklet.dev/copies': value } } };
}
