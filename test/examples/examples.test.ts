import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@hooklet/sandbox';
import { objectAt, objectsAt, sandboxForTest, textAt, textsAt } from '@hooklet/sandbox/testing';
import { examplesDir, readManifests } from '../support/example-rig.ts';
import { runProgram } from '../support/program.ts';

const folders = readdirSync(examplesDir).filter((name) => statSync(join(examplesDir, name)).isDirectory());
// The other examples are installed with `kubectl apply -k` into the namespace of what they guard.
const deployed = folders.filter((name) => existsSync(join(examplesDir, name, 'manifests', 'deploy.yaml')));
const kustomized = folders.filter((name) => !deployed.includes(name));
const read = (...path: readonly string[]): string => readFileSync(join(examplesDir, ...path), 'utf8');

/** The paths that a README refers to: links, and paths in code. */
function pathsIn(folder: string): readonly string[] {
  const text = read(folder, 'README.md');
  const links = [...text.matchAll(/\]\(([^):#]+)(?:#[^)]*)?\)/g)].map(([, path = '']) =>
    join(examplesDir, folder, path),
  );
  const fromRoot = [...text.matchAll(/examples\/[\w./-]+/g)].map(([path]) => join(dirname(examplesDir), path));
  const inFolder = [...text.matchAll(/[` ]((?:manifests|hooks)\/[\w./-]+)/g)].map(([, path = '']) =>
    join(examplesDir, folder, path),
  );
  return [...links, ...fromRoot, ...inFolder];
}

/** The API groups, resources and verbs of all rules. */
function rightsIn(objects: readonly JsonObject[]): readonly string[] {
  const rules = objects.flatMap((object) => objectsAt(object, 'rules'));
  return rules.flatMap((rule) => ['apiGroups', 'resources', 'verbs'].flatMap((field) => textsAt(rule, field)));
}

it('hooklet check finds nothing in the hooks of any example or of the image but those that copy all Secrets', async () => {
  const inExamples = folders.flatMap((name) => ['hooks', 'typescript'].map((hooks) => join(examplesDir, name, hooks)));
  const paths = [...inExamples.filter((path) => existsSync(path)), join(dirname(examplesDir), 'hooks')];

  const { exitCode, stdout } = await runProgram(['check', ...paths]);

  const warned = [...stdout.matchAll(/^(\S+):\d+: (warning|error): every Secret of the cluster can be read/gm)];
  expect(warned.map(([, file]) => file)).toEqual([
    'examples/104-secret-copier/hooks/copy-secrets.sh',
    'examples/115-secret-copies/hooks/secret-copies.sh',
    'examples/115-secret-copies/typescript/secret-copies.ts',
    'hooks/002-copy.ts',
    'hooks/003-backup.sh',
  ]);
  expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/\n\d{2} hook\(s\), 5 warning\(s\)\n$/)]);
});

describe.each(folders.filter((folder) => !folder.startsWith('201-')))('the example %s', (folder) => {
  it('is an image of its hooks', () => {
    const lines = read(folder, 'Dockerfile').trim().split('\n');
    const copied = 'COPY --from=hooklet /usr/local/lib/hooklet /usr/local/lib/hooklet';
    const first = folder.startsWith('202-') ? [expect.stringMatching(/^FROM /), copied] : ['FROM hooklet'];

    expect(lines.slice(0, first.length)).toEqual(first);
    expect(lines.at(-1)).toBe('ADD hooks /hooks');
  });
});

describe.each(folders)('the example %s', (folder) => {
  it('has a README with the number of its folder', () => {
    expect(read(folder, 'README.md')).toMatch(new RegExp(`^# ${folder.slice(0, 3)}: `));
  });

  it('has a README whose paths exist', () => {
    const paths = pathsIn(folder);

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

  it('runs as nobody, writes nowhere but to its temporary folder, and is ready when it can answer', () => {
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
    expect(writable).toEqual([{ name: 'tmp', mountPath: '/tmp' }]);
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

describe.each(kustomized)('the example %s', (folder) => {
  const root = join(examplesDir, folder, 'manifests');
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
