import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '@hooklet/sandbox';
import { textAt } from '@hooklet/sandbox/testing';
import { initProject } from '../../../src/cli/author/init.ts';
import { TEMPLATES } from '../../../src/cli/author/templates.ts';
import { readManifests } from '../../support/example-rig.ts';
import { temporaryFolder } from '../../support/hook-rig.ts';
import { runProgram } from '../../support/program.ts';

const OF_THE_CLUSTER = ['Namespace', 'ClusterRole', 'ClusterRoleBinding'];

/** The objects of a kustomization, in its namespace. */
function kustomized(folder: string): readonly JsonObject[] {
  const [kustomization = {}] = readManifests(join(folder, 'kustomization.yaml'));
  const namespace = textAt(kustomization, 'namespace');
  const { resources } = kustomization;
  const files = Array.isArray(resources) ? resources.map(String).filter((file) => file.endsWith('.yaml')) : [];
  return files
    .flatMap((file) => readManifests(join(folder, file)))
    .map(({ metadata, subjects, ...object }) => ({
      ...object,
      metadata: {
        ...(isJsonObject(metadata) ? metadata : {}),
        ...(!OF_THE_CLUSTER.includes(textAt(object, 'kind')) && { namespace }),
      },
      ...(Array.isArray(subjects) && {
        subjects: subjects.map((subject) => ({ ...(isJsonObject(subject) ? subject : {}), namespace })),
      }),
    }));
}

describe('the manifests that hooklet init makes', () => {
  it.each(TEMPLATES)('grant what the bindings of the template %s need', async (template) => {
    using folder = temporaryFolder();
    const project = join(folder.path, 'shop');
    initProject(project, { template });
    const objects = kustomized(join(project, 'manifests'));
    writeFileSync(join(project, 'all.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
    const crds = template === 'operator' ? ['--crds', join('hooks', 'manifests', 'crd.yaml')] : [];
    const args = ['rbac', 'hooks', '--service-account', 'shop/shop', ...crds, '--diff', 'all.json'];

    const { exitCode, stdout } = await runProgram(args, {
      cwd: project,
      env: { HOOKLET_VALIDATING_WEBHOOK_CONFIGURATION_NAME: 'shop' },
    });

    // What is optional may be missing, and what hooks write is not derived from bindings.
    expect({ exitCode, missing: stdout.match(/^missing: .*/gm) ?? [] }).toEqual({ exitCode: 0, missing: [] });
  });
});
