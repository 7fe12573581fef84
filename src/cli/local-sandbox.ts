import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sandbox } from '@hooklet/sandbox';
import { removeTree } from '../lib/remove-tree.ts';
import { createCluster, type Cluster } from '../kube/credentials/cluster.ts';

/** A temporary folder with the kubeconfig of a sandbox. */
export interface SandboxFolder extends Disposable {
  readonly path: string;
  /** The file of the kubeconfig, which only this user can read. */
  readonly kubeconfig: string;
}

/**
 * Creates a temporary folder whose name begins with `prefix`. It is removed when it is disposed of, and when a second
 * Ctrl-C ends the process, unless it is to be kept.
 */
export function sandboxFolder(prefix: string, sandbox: Pick<Sandbox, 'kubeconfig'>, isKept: boolean): SandboxFolder {
  const path = mkdtempSync(join(tmpdir(), prefix));
  const remove = (): void => {
    process.off('exit', remove);
    if (!isKept) removeTree(path);
  };
  process.on('exit', remove);
  const kubeconfig = join(path, 'kubeconfig');
  writeFileSync(kubeconfig, sandbox.kubeconfig(), { mode: 0o600 });
  return { path, kubeconfig, [Symbol.dispose]: remove };
}

/** A sandbox as a cluster, over its socket. */
export function sandboxCluster({ url, token }: Pick<Sandbox, 'url' | 'token'>): Cluster {
  const headers = { authorization: `Bearer ${token}` };
  return createCluster({ name: 'sandbox', server: new URL(url) }, [
    { read: async () => ({ headers }), invalidate: () => {} },
  ]);
}
