import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { kubectlAsset } from './assets.ts';
import type { SharedControlPlane } from './shared-control-plane.ts';

/** Runs kubectl as the administrator of the control plane; resolves to its output, and rejects when it fails. */
export function adminKubectl(plane: SharedControlPlane): (args: readonly string[]) => Promise<string> {
  return async (args) => {
    const folder = await mkdtemp(join(tmpdir(), 'hooklet-kubectl-'));
    try {
      const kubeconfig = join(folder, 'kubeconfig');
      await writeFile(kubeconfig, plane.kubeconfig('admin'), { mode: 0o600 });
      const env = { KUBECONFIG: kubeconfig, KUBECACHEDIR: join(folder, 'cache') };
      const { stdout } = await execa(await kubectlAsset(process.env), args, { env });
      return stdout;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}
