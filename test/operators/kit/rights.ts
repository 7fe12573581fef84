import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { JsonObject } from '@hooklet/sandbox';
import { objectsAt, textAt } from '@hooklet/sandbox/testing';
import { temporaryFolder } from '../../support/hook-rig.ts';
import { runProgram } from '../../support/program.ts';

/** What is compared: the rights of an operator with what its hooks do in their scenarios. */
export interface Rights {
  readonly hooks: string;
  /** The objects of its installation, definitions included. */
  readonly manifests: readonly JsonObject[];
  /** Files or folders of scenarios, which are played. */
  readonly scenarios: readonly string[];
  /** Further flags of `hooklet rbac`. */
  readonly flags?: readonly string[];
}

/** The lines of `hooklet rbac --diff`, of what is missing and what is unused; none where the rights are exact. */
export async function rights({ hooks, manifests, scenarios, flags = [] }: Rights): Promise<readonly string[]> {
  using folder = temporaryFolder();
  const [all, crds] = [join(folder.path, 'all.yaml'), join(folder.path, 'crds.yaml')];
  write(all, manifests);
  write(
    crds,
    manifests.filter(({ kind }) => kind === 'CustomResourceDefinition'),
  );
  const args = ['rbac', hooks, '--webhooks', '--crds', crds, '--scenarios', ...scenarios];
  const { exitCode, stdout, stderr } = await runProgram(
    [...args, '--service-account', accountOf(manifests), ...flags, '--diff', all],
    { env: environmentOf(manifests) },
  );
  if (exitCode !== 0 && exitCode !== 1) throw new Error(`hooklet rbac ended with ${exitCode}: ${stderr}`);
  const lines = stdout.split('\n').filter((line) => line !== '' && !/^missing, but optional|^nothing/.test(line));
  if (exitCode === 1 && lines.length === 0) throw new Error(`hooklet rbac ended with 1: ${stderr}`);
  return exitCode === 0 ? [] : lines;
}

function write(path: string, objects: readonly JsonObject[]): void {
  writeFileSync(path, objects.map((object) => stringify(object)).join('---\n'));
}

function accountOf(manifests: readonly JsonObject[]): string {
  const pod = manifests.find(({ kind }) => kind === 'Deployment');
  const account = textAt(pod, 'spec', 'template', 'spec', 'serviceAccountName');
  return `${textAt(pod, 'metadata', 'namespace')}/${account}`;
}

/** What is set in the container of the operator, for what hooks and hooklet make of it. */
function environmentOf(manifests: readonly JsonObject[]): Readonly<Record<string, string>> {
  const pod = manifests.find(({ kind }) => kind === 'Deployment');
  const [container] = objectsAt(pod, 'spec', 'template', 'spec', 'containers');
  const variables = objectsAt(container, 'env').filter((one) => textAt(one, 'value') !== '');
  return Object.fromEntries(variables.map((one) => [textAt(one, 'name'), textAt(one, 'value')]));
}
