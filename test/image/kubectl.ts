import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { inject } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { isJsonObject, type JsonObject } from '@hooklet/sandbox';
import type { SharedControlPlane } from '../cluster/shared-control-plane.ts';

/** The output of a kubectl that succeeded; otherwise the call rejects. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

/** The kubectl of the image, as the administrator of the control plane. */
export interface Kubectl extends AsyncDisposable {
  (args: readonly string[], input?: string): Promise<Printed>;
}

/** Makes a kubectl that talks to the control plane. */
export async function adminKubectl(plane: SharedControlPlane): Promise<Kubectl> {
  const folder = await mkdtemp(join(tmpdir(), 'hooklet-kubectl-'));
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, plane.kubeconfig('admin'));
  const binary = inject('kubectl');
  const run = async (args: readonly string[], input = ''): Promise<Printed> => {
    const env = { KUBECONFIG: kubeconfig, KUBECACHEDIR: join(folder, 'cache') };
    const { stdout, stderr } = await execa(binary, args, { env, input });
    return { stdout, stderr };
  };
  return Object.assign(run, {
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true });
    },
  });
}

/** Parses YAML output of kubectl or kustomize into objects. */
export function objectsOf(yaml: string): readonly JsonObject[] {
  return parseAllDocuments(yaml).map((document) => {
    const value: unknown = document.toJS();
    if (isJsonObject(value)) return value;
    throw new Error(`no Kubernetes object: ${JSON.stringify(value)}`);
  });
}
