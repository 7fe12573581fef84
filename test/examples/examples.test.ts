import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { objectAt, objectsAt, sandboxForTest, textAt } from '@hooklet/sandbox/testing';
import { examplesDir, readManifests } from '../support/example-rig.ts';
import { runProgram } from '../support/program.ts';
import { rightsIn } from '../support/rbac.ts';
import { pathsIn } from '../support/readme-paths.ts';

const folders = readdirSync(examplesDir).filter((name) => statSync(join(examplesDir, name)).isDirectory());
const deployed = folders.filter((name) => existsSync(join(examplesDir, name, 'manifests', 'deploy.yaml')));
const read = (...path: readonly string[]): string => readFileSync(join(examplesDir, ...path), 'utf8');

it('hooklet check finds nothing in the hooks of any example or of the image but those that copy Secrets, or keep keys in them, in all namespaces', async () => {
  const inExamples = folders.flatMap((name) => ['hooks', 'typescript'].map((hooks) => join(examplesDir, name, hooks)));
  const paths = [...inExamples.filter((path) => existsSync(path)), join(dirname(examplesDir), 'hooks')];

  const { exitCode, stdout } = await runProgram(['check', ...paths]);

  const warned = [...stdout.matchAll(/^(\S+):\d+: (warning|error): every Secret of the cluster can be read/gm)];
  expect(warned.map(([, file]) => file)).toEqual([
    'examples/104-secret-copier/hooks/copy-secrets.sh',
    'examples/115-secret-copies/hooks/secret-copies.sh',
    'examples/115-secret-copies/typescript/secret-copies.ts',
    'examples/300-etcd/hooks/etcd-cluster.ts',
    'hooks/002-copy.ts',
    'hooks/003-backup.sh',
  ]);
  expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/\n\d{2} hook\(s\), 6 warning\(s\)\n$/)]);
});

/** Those that are not hooklet and their hooks alone. The image of a solution has its parts where the hooks of others are. */
const IMAGES: Readonly<Record<string, { readonly first: readonly unknown[]; readonly last: string }>> = {
  202: {
    first: [expect.stringMatching(/^FROM /), 'COPY --from=hooklet /usr/local/lib/hooklet /usr/local/lib/hooklet'],
    last: 'ADD hooks /hooks',
  },
  300: {
    first: [expect.stringMatching(/^#/), 'ARG SOLUTION=registry.example.com/etcd-member-repair:1'],
    last: 'ENV SHELL_OPERATOR_HOOKS_DIR=/examples/300-etcd/hooks',
  },
  310: { first: ['FROM scheduled-backup'], last: 'ADD hooks /operator' },
};

describe.each(folders.filter((folder) => !folder.startsWith('201-')))('the example %s', (folder) => {
  it('is an image of its hooks', () => {
    const lines = read(folder, 'Dockerfile').trim().split('\n');
    const { first, last } = IMAGES[folder.slice(0, 3)] ?? { first: ['FROM hooklet'], last: 'ADD hooks /hooks' };

    expect(lines.slice(0, first.length)).toEqual(first);
    expect(lines.at(-1)).toBe(last);
  });
});

describe.each(folders)('the example %s', (folder) => {
  it('has a README with the number of its folder', () => {
    expect(read(folder, 'README.md')).toMatch(new RegExp(`^# ${folder.slice(0, 3)}: `));
  });

  it('has a README whose paths exist', () => {
    const paths = pathsIn(join(examplesDir, folder));

    expect(paths.length).toBeGreaterThan(2);
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
    expect(read('README.md')).toContain(`[${folder}](${folder})`);
  });
});

describe.each(deployed)('the example %s', (folder) => {
  const deploy = readManifests(join(examplesDir, folder, 'manifests', 'deploy.yaml'));
  const [namespace] = deploy
    .filter(({ kind }) => kind === 'Namespace')
    .map((object) => textAt(object, 'metadata', 'name'));

  it('stays in a namespace of its own, and asks for no right in general', () => {
    const elsewhere = deploy.filter(
      (object) =>
        !['Namespace', 'ClusterRole', 'ClusterRoleBinding'].includes(textAt(object, 'kind')) &&
        textAt(object, 'metadata', 'namespace') !== namespace,
    );

    expect(namespace).toBe(`example-${folder.slice(4)}`);
    expect(elsewhere).toEqual([]);
    expect(rightsIn(deploy)).not.toContain('*');
  });

  it('runs as nobody, writes nowhere but to its temporary folder and for its dumps, and is ready when it can answer', () => {
    const isAsked = folder.endsWith('-webhook');
    const deployment = deploy.find(({ kind }) => kind === 'Deployment');
    const pod = objectAt(deployment, 'spec', 'template', 'spec');
    const [container] = objectsAt(pod, 'containers');

    expect(pod).toMatchObject({ securityContext: { runAsNonRoot: true }, serviceAccountName: folder.slice(4) });
    expect(container).toMatchObject({
      securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
      readinessProbe: { httpGet: { path: isAsked ? '/readyz/webhooks' : '/readyz' } },
    });
    const writable = objectsAt(container, 'volumeMounts').filter((mount) => mount['readOnly'] !== true);
    const volumes = folder.startsWith('110-') ? [{ name: 'dumps', mountPath: '/dumps' }] : [];
    expect(writable).toEqual([{ name: 'tmp', mountPath: '/tmp' }, ...volumes]);
  });

  it('has manifests that an API server takes', async () => {
    const sandbox = await sandboxForTest();
    const tryDir = join(examplesDir, folder, 'manifests', 'try');
    const files = existsSync(tryDir) ? readdirSync(tryDir).toSorted() : [];

    const definitions = join(examplesDir, folder, 'manifests', 'crd.yaml');
    if (existsSync(definitions)) for (const object of readManifests(definitions)) await sandbox.apply(object);
    for (const object of deploy) await sandbox.apply(object);
    for (const object of files.flatMap((file) => readManifests(join(tryDir, file)))) await sandbox.apply(object);

    expect((await sandbox.call('GET', `/api/v1/namespaces/${namespace}`)).code).toBe(200);
  });
});
