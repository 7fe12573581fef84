import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { objectAt, objectsAt, textAt, textsAt } from '../../src/sandbox/json-fields.ts';
import { examplesDir, readManifests } from '../support/example-rig.ts';
import { sandboxForTest } from '../support/sandbox.ts';

const folders = readdirSync(examplesDir).filter((name) => statSync(join(examplesDir, name)).isDirectory());
const read = (...path: readonly string[]): string => readFileSync(join(examplesDir, ...path), 'utf8');

/** What a README refers to: links, and paths in code. */
function pathsIn(folder: string): readonly string[] {
  const text = read(folder, 'README.md');
  const links = [...text.matchAll(/\]\(([^):]+)\)/g)].map(([, path = '']) => join(examplesDir, folder, path));
  const fromRoot = [...text.matchAll(/examples\/[\w./-]+/g)].map(([path]) => join(dirname(examplesDir), path));
  const inFolder = [...text.matchAll(/[` ]((?:manifests|hooks)\/[\w./-]+)/g)].map(([, path = '']) =>
    join(examplesDir, folder, path),
  );
  return [...links, ...fromRoot, ...inFolder];
}

describe.each(folders)('the example %s', (folder) => {
  const deploy = readManifests(join(examplesDir, folder, 'manifests', 'deploy.yaml'));
  const [namespace] = deploy
    .filter(({ kind }) => kind === 'Namespace')
    .map((object) => textAt(object, 'metadata', 'name'));

  it('is an image of its hooks', () => {
    const lines = read(folder, 'Dockerfile').trim().split('\n');

    expect(lines[0]).toBe('FROM hooklet');
    expect(lines.at(-1)).toBe('ADD hooks /hooks');
  });

  it('has a README whose paths exist', () => {
    const paths = pathsIn(folder);

    expect(paths.length).toBeGreaterThan(2);
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
    expect(read('README.md')).toContain(`[${folder}](${folder})`);
  });

  it('stays in a namespace of its own, and asks for no right in general', () => {
    const elsewhere = deploy.filter(
      (object) =>
        !['Namespace', 'ClusterRole', 'ClusterRoleBinding'].includes(textAt(object, 'kind')) &&
        textAt(object, 'metadata', 'namespace') !== namespace,
    );
    const rules = deploy.flatMap((object) => objectsAt(object, 'rules'));
    const words = rules.flatMap((rule) => ['apiGroups', 'resources', 'verbs'].flatMap((field) => textsAt(rule, field)));

    expect(namespace).toBe(`example-${folder.slice(4)}`);
    expect(elsewhere).toEqual([]);
    expect(words).not.toContain('*');
  });

  it('runs as nobody, and writes nowhere but to its temporary folder', () => {
    const deployment = deploy.find(({ kind }) => kind === 'Deployment');
    const pod = objectAt(deployment, 'spec', 'template', 'spec');
    const [container] = objectsAt(pod, 'containers');

    expect(pod).toMatchObject({ securityContext: { runAsNonRoot: true }, serviceAccountName: folder.slice(4) });
    expect(container).toMatchObject({
      securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
      volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
      readinessProbe: { httpGet: { path: '/readyz' } },
    });
  });

  it('has manifests that an API server takes', async () => {
    const sandbox = await sandboxForTest();
    const tryDir = join(examplesDir, folder, 'manifests', 'try');
    const files = existsSync(tryDir) ? readdirSync(tryDir).toSorted() : [];

    for (const object of deploy) await sandbox.apply(object);
    for (const object of files.flatMap((file) => readManifests(join(tryDir, file)))) await sandbox.apply(object);

    expect((await sandbox.call('GET', `/api/v1/namespaces/${namespace}`)).code).toBe(200);
  });
});
