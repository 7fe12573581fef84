import { appendFileSync, cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Cluster } from '../../src/kube/credentials/cluster.ts';
import { loadCluster } from '../../src/kube/credentials/load-cluster.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { recordingHook, startOperator, type OperatorRig } from '../support/operator-rig.ts';
import { adminKubectl } from './admin-kubectl.ts';
import { clusterConfig } from './cluster-config.ts';
import { connectAs, until } from './operator-rig.ts';
import { sharedControlPlane } from './shared-control-plane.ts';

const deploy = fileURLToPath(new URL('../../deploy', import.meta.url));
const plane = sharedControlPlane();
const kubectl = adminKubectl(plane);
const SCHEDULE = { configVersion: 'v1', schedule: [{ name: 'nightly', crontab: '0 0 1 1 *' }] };
const PEOPLE = { ann: 'hooklet-viewer', bob: 'hooklet-operator', eve: undefined };

/** Calls `use` with a file that has the base with the component `ui`, without its namespace and its Deployment. */
async function withObjects(use: (file: string) => Promise<unknown>): Promise<void> {
  using folder = temporaryFolder();
  cpSync(deploy, join(folder.path, 'deploy'), { recursive: true });
  const base = join(folder.path, 'deploy', 'base');
  appendFileSync(join(base, 'kustomization.yaml'), 'components:\n  - ../components/ui\n');
  const documents = parseAllDocuments(await kubectl(['kustomize', base])).filter(
    (document) => !['Namespace', 'Deployment'].includes(String(document.get('kind'))),
  );
  const file = join(folder.path, 'ui.yaml');
  writeFileSync(file, documents.map(String).join('---\n'));
  await use(file);
}

async function tokenFor(account: string): Promise<string> {
  return (await kubectl(['create', 'token', account, '-n', 'hooklet'])).trim();
}

/** Connects as the account of the Deployment, which has the rights of the component and no others. */
async function connectAsHooklet(): Promise<Cluster> {
  using folder = temporaryFolder();
  const path = join(folder.path, 'kubeconfig');
  const { url, ca } = plane;
  writeFileSync(path, clusterConfig({ url, ca, user: 'hooklet', token: await tokenFor('hooklet') }));
  return await loadCluster({ env: {}, kubeConfigPath: path });
}

function startPage(connect: () => Promise<Cluster>): OperatorRig {
  return startOperator({
    connect,
    hooks: { 'backup.sh': recordingHook(SCHEDULE, 'echo done') },
    env: { POD_NAMESPACE: 'hooklet' },
    operator: { page: { address: '127.0.0.1', port: 0, hosts: [], isOpen: false } },
  });
}

async function urlOf({ lines }: OperatorRig): Promise<string> {
  const found = (): unknown => lines.find(({ fields }) => fields['page'] !== undefined)?.fields['page'];
  await until(() => expect(found()).toBeDefined());
  return String(found()).replace('localhost', '127.0.0.1');
}

async function post(url: string, path: string, fields: Readonly<Record<string, string>>, cookie = '') {
  const headers = { origin: url, cookie };
  return fetch(`${url}${path}`, { method: 'POST', body: new URLSearchParams(fields), headers, redirect: 'manual' });
}

describe('the page with the component ui', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    await kubectl(['apply', '-f', join(deploy, 'base', 'namespace.yaml')]);
    await withObjects(async (file) => kubectl(['apply', '-f', file]));
    for (const [name, role] of Object.entries(PEOPLE)) {
      await kubectl(['create', 'serviceaccount', name, '-n', 'hooklet']);
      const binding = [
        'rolebinding',
        name,
        '-n',
        'hooklet',
        `--clusterrole=${role}`,
        `--serviceaccount=hooklet:${name}`,
      ];
      if (role !== undefined) await kubectl(['create', ...binding]);
    }
  });
  afterAll(async () => {
    const people = Object.keys(PEOPLE);
    await kubectl(['delete', 'rolebinding', '-n', 'hooklet', '--ignore-not-found', ...people]);
    await kubectl(['delete', 'serviceaccount', '-n', 'hooklet', '--ignore-not-found', ...people]);
    await withObjects(async (file) => kubectl(['delete', '--ignore-not-found', '-f', file]));
  });

  it('lets in whom a TokenReview knows, and shows and does what a SubjectAccessReview allows', async () => {
    await using operator = startPage(connectAsHooklet);
    const url = await urlOf(operator);
    const loginOf = async (token: string): Promise<{ readonly status: number; readonly cookie: string }> => {
      const { status, headers } = await post(url, '/login', { token, next: '/' });
      return { status, cookie: headers.get('set-cookie')?.split(';')[0] ?? '' };
    };
    const get = async (path: string, cookie: string) => {
      const response = await fetch(`${url}${path}`, { headers: { cookie } });
      return { status: response.status, text: await response.text() };
    };
    expect(await loginOf('no token of this cluster')).toEqual({ status: 401, cookie: '' });

    const ann = await loginOf(await tokenFor('ann'));
    expect(ann.status).toBe(303);
    await until(async () => expect((await get('/schedules', ann.cookie)).text).toContain('nightly'));
    expect((await get('/schedules', ann.cookie)).text).toContain('system:serviceaccount:hooklet:ann');
    expect((await get('/schedules', ann.cookie)).text).not.toContain('Run now');
    const trigger = '/confirm?do=trigger&hook=backup.sh&binding=nightly';
    const refused = await get(trigger, ann.cookie);
    expect(refused.status).toBe(403);
    expect(refused.text).toContain(
      'system:serviceaccount:hooklet:ann may not do this: it needs trigger hooks.hooks.hooklet.dev &quot;backup.sh&quot;.',
    );

    const eve = await loginOf(await tokenFor('eve'));
    expect(eve.status).toBe(303);
    for (const path of ['/', '/runs', '/hooks', '/schedules']) expect((await get(path, eve.cookie)).status).toBe(403);

    const bob = await loginOf(await tokenFor('bob'));
    const form = await get(trigger, bob.cookie);
    const csrf = /name="csrf" value="([^"]+)"/.exec(form.text)?.[1] ?? '';
    const fields = { do: 'trigger', hook: 'backup.sh', binding: 'nightly', csrf };
    expect((await post(url, '/act', fields, eve.cookie)).status).toBe(403);
    expect(operator.runs('backup.sh')).toHaveLength(0);
    expect((await post(url, '/act', fields, bob.cookie)).status).toBe(303);
    await until(() => expect(operator.runs('backup.sh')).toHaveLength(1));
  });

  it('names the rule that hooklet lacks in the log, and tells a stranger nothing of it', async () => {
    await using operator = startPage(connectAs(plane, 'nobody'));
    const url = await urlOf(operator);
    const response = await fetch(url, { headers: { authorization: `Bearer ${await tokenFor('ann')}` } });

    expect(response.status).toBe(500);
    const text = await response.text();
    expect(text).toContain('The API server could not be asked whose the token is.');
    expect(text).not.toContain('tokenreviews');
    const failed = operator.lines.find(({ message }) => message === 'a request to the page failed');
    expect(String(failed?.fields['err'])).toContain(
      'tokenreviews.authentication.k8s.io is forbidden: User "nobody" cannot create resource "tokenreviews" in API group "authentication.k8s.io" at the cluster scope; add the rule {apiGroups: ["authentication.k8s.io"], resources: [tokenreviews], verbs: [create]} to a ClusterRole',
    );
  });
});
