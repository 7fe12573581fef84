import { hostname } from 'node:os';
import { UsageError } from '../../errors.ts';
import type { KubeClient } from '../../kube/client.ts';
import { loadCluster } from '../../kube/credentials/load-cluster.ts';
import type { Environment } from '../../kube/environment.ts';
import { createKubeClient } from '../../kube/kube-client.ts';
import { ownNamespace } from '../../kube/coordination/own-pod.ts';
import { parseDuration } from '../../lib/duration.ts';
import { isLeaseName, isNamespaceName, LEASE_NAME_TEXT, NAMESPACE_TEXT } from '../../lib/lease-name.ts';
import { shown } from '../../lib/shown.ts';
import { version } from '../program/version.ts';

/** The flags of the `lock` commands, as the parser gives them. */
export interface LockFlags {
  readonly namespace?: string;
  readonly wait?: string;
  readonly for?: string;
  readonly allNamespaces?: boolean;
  readonly yes?: boolean;
  readonly force?: boolean;
  readonly kubeConfig?: string;
  readonly kubeContext?: string;
}

/** What the `lock` commands work on. */
export interface LockIo {
  readonly client: Pick<KubeClient, 'request'>;
  readonly namespace: string;
  /** The Pod or machine. */
  readonly host: string;
  readonly env: Environment;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

/** Connects to the cluster of the flags. */
export async function openLockIo(flags: LockFlags, env: Environment): Promise<LockIo & AsyncDisposable> {
  const { kubeConfig: kubeConfigPath, kubeContext: context } = flags;
  const cluster = await loadCluster({ kubeConfigPath, context, env });
  const client = createKubeClient(cluster, { userAgent: `hooklet/${version}` });
  const { POD_NAME: pod = '' } = env;
  return {
    client,
    namespace: namespaceOf(flags) ?? ownNamespace(env, cluster.namespace),
    host: pod === '' ? hostname() : pod,
    env,
    stdout: (text) => void process.stdout.write(text),
    stderr: (text) => void process.stderr.write(text),
    [Symbol.asyncDispose]: async () => client.close(),
  };
}

function namespaceOf({ namespace }: LockFlags): string | undefined {
  if (namespace === undefined || isNamespaceName(namespace)) return namespace;
  throw new UsageError(`--namespace: got ${shown(namespace)}, expected ${NAMESPACE_TEXT}`);
}

/** The name of a lock as it was typed; throws `UsageError` for one that no Lease can have. */
export function lockName(given: string): string {
  if (isLeaseName(given)) return given;
  throw new UsageError(`name: got ${shown(given)}, expected ${LEASE_NAME_TEXT}`);
}

/** The value of a flag with a duration from `minMs` to `maxMs`; throws `UsageError`. */
export function durationFlag(
  flag: string,
  given: string,
  { minMs, maxMs, expected }: { readonly minMs: number; readonly maxMs: number; readonly expected: string },
): number {
  const durationMs = parseDuration(given);
  if (durationMs !== undefined && durationMs >= minMs && durationMs <= maxMs) return durationMs;
  throw new UsageError(`${flag}: got ${shown(given)}, expected ${expected}`);
}
