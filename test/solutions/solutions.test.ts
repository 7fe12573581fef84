import { existsSync, globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@hooklet/sandbox';
import { objectAt, objectsAt, sandboxForTest, textAt, textsAt } from '@hooklet/sandbox/testing';
import { readManifests } from '../support/example-rig.ts';
import { runProgram } from '../support/program.ts';
import { rightsIn } from '../support/rbac.ts';
import { pathsIn } from '../support/readme-paths.ts';
import { solutionsDir } from '../support/solutions.ts';

const folders = readdirSync(solutionsDir).filter((name) => statSync(join(solutionsDir, name)).isDirectory());
const read = (...path: readonly string[]): string => readFileSync(join(solutionsDir, ...path), 'utf8');

it('hooklet check finds nothing in the hooks of any solution', async () => {
  const { exitCode, stdout } = await runProgram(['check', ...folders.map((name) => join(solutionsDir, name, 'hooks'))]);

  expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^\d hook\(s\), no problems\n$/m)]);
});

describe.each(folders)('the solution %s', (folder) => {
  it('is an image of its hooks', () => {
    const lines = read(folder, 'Dockerfile').trim().split('\n');

    expect([lines[0], lines.at(-1)]).toEqual(['FROM hooklet', 'ADD hooks /hooks']);
  });

  it('has one version, in its file, its image, its manifests and its changelog', () => {
    const version = read(folder, 'VERSION').trim();
    const tags = globSync('manifests/**/kustomization.yaml', { cwd: join(solutionsDir, folder) })
      .flatMap((file) => readManifests(join(solutionsDir, folder, file)))
      .flatMap((object) => objectsAt(object, 'images'))
      .map((image) => textAt(image, 'newTag'));

    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(new Set(tags)).toEqual(new Set([version]));
    expect(read(folder, 'Dockerfile')).toContain(`org.opencontainers.image.version=${version}\n`);
    expect(/^## (.*)$/m.exec(read(folder, 'CHANGELOG.md'))?.[1]).toBe(version);
    expect(read(folder, 'README.md')).toContain(`:${version} .`);
  });

  it('has a README whose paths exist, and a row in the list of solutions', () => {
    const paths = pathsIn(join(solutionsDir, folder));

    expect(paths.length).toBeGreaterThan(2);
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
    expect(read('README.md')).toContain(`[${folder}](${folder}/README.md)`);
  });
});

describe.each(folders)('the solution %s', (folder) => {
  const root = join(solutionsDir, folder, 'manifests');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml'));
  const objectsOf = (file: string): readonly JsonObject[] => readManifests(join(root, file));
  const isKustomize = (object: JsonObject): boolean =>
    textAt(object, 'apiVersion').startsWith('kustomize.config.k8s.io');
  const all = files.flatMap(objectsOf).filter((object) => !isKustomize(object));
  const installed = files.filter((file) => !file.startsWith('try/')).flatMap(objectsOf);

  it('goes into a namespace that is there, with rights in that one alone, and none in general', () => {
    const kinds = installed.map(({ kind }) => kind);
    const installs = installed.filter((object) => isKustomize(object) && objectsAt(object, 'images').length > 0);

    expect(kinds).toEqual(expect.arrayContaining(['Role', 'RoleBinding', 'ServiceAccount', 'Deployment']));
    expect(kinds).not.toContain('Namespace');
    expect(kinds).not.toContain('ClusterRole');
    expect(rightsIn(installed)).not.toContain('*');
    expect(installs.length).toBeGreaterThan(0);
    expect(installs.map((object) => textAt(object, 'namespace'))).not.toContain('');
  });

  it('names what is there in its kustomizations', () => {
    const named = files.flatMap((file) =>
      objectsOf(file)
        .filter(isKustomize)
        .flatMap((object) => [...textsAt(object, 'resources'), ...textsAt(object, 'components')])
        .map((path) => join(root, dirname(file), path)),
    );

    expect(named.length).toBeGreaterThan(1);
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
  });

  it('runs as nobody, and writes nowhere but to its volumes', () => {
    const accounts = installed
      .filter(({ kind }) => kind === 'ServiceAccount')
      .map((object) => textAt(object, 'metadata', 'name'));
    const deployments = installed.filter(({ kind }) => kind === 'Deployment');

    for (const deployment of deployments) {
      const pod = objectAt(deployment, 'spec', 'template', 'spec');
      expect(pod).toMatchObject({ securityContext: { runAsNonRoot: true } });
      expect(accounts).toContain(textAt(pod, 'serviceAccountName'));
      expect(objectsAt(pod, 'containers')).toMatchObject([
        {
          securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
          volumeMounts: expect.arrayContaining([{ name: 'tmp', mountPath: '/tmp' }]),
          readinessProbe: { httpGet: { path: '/readyz' } },
        },
      ]);
    }
  });

  it('has manifests that an API server takes', async () => {
    const sandbox = await sandboxForTest();

    for (const object of all) {
      const namespace = object['kind'] === 'Namespace' ? {} : { namespace: 'default' };
      await sandbox.apply({ ...object, metadata: { ...namespace, ...objectAt(object, 'metadata') } });
    }

    expect((await sandbox.call('GET', '/apis/apps/v1/namespaces/default/deployments')).code).toBe(200);
  });
});
