import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes a kubeconfig into `folder`; returns its path. */
export function kubeconfigFile(folder: string, { kubeconfig }: { readonly kubeconfig: () => string }): string {
  const path = join(folder, 'kubeconfig');
  writeFileSync(path, kubeconfig());
  return path;
}
