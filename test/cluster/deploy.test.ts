import { appendFileSync, cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/hook-rig.ts';
import { adminKubectl } from './admin-kubectl.ts';
import { sharedControlPlane } from './shared-control-plane.ts';

const deploy = fileURLToPath(new URL('../../deploy', import.meta.url));
const kubectl = adminKubectl(sharedControlPlane());
const components = readdirSync(join(deploy, 'components'));
/** Does without another component nothing, or changes what that has. */
const NEEDS: Readonly<Record<string, string>> = {
  jobs: 'run-port',
  'webhooks-control-plane': 'webhooks',
  workers: 'run-port',
};

/** Calls `use` with a copy of a folder of deploy/ whose kustomization has these components. */
async function withComponents(
  folder: string,
  names: readonly string[],
  use: (path: string) => Promise<string>,
): Promise<string> {
  using tmp = temporaryFolder();
  cpSync(deploy, join(tmp.path, 'deploy'), { recursive: true });
  const path = join(tmp.path, 'deploy', folder);
  const all = new Set(names.flatMap((name) => [NEEDS[name] ?? name, name]));
  const up = folder === '' ? '' : '../';
  const lines = [...all].map((name) => `  - ${up}components/${name}\n`);
  appendFileSync(join(path, 'kustomization.yaml'), `components:\n${lines.join('')}`);
  return await use(path);
}

async function built(folder: string, names: readonly string[]): Promise<string> {
  return withComponents(folder, names, async (path) => kubectl(['kustomize', path]));
}

describe('the components of deploy/', { timeout: 120_000 }, () => {
  it.each([
    { component: 'all-namespaces', objects: ['clusterrolebinding.rbac.authorization.k8s.io/hooklet-copies'] },
    { component: 'events', objects: ['role.rbac.authorization.k8s.io/hooklet-events'] },
    {
      component: 'http-triggers',
      objects: ['service/hooklet-triggers', 'ingress.networking.k8s.io/hooklet-triggers'],
    },
    { component: 'jobs', objects: ['service/hooklet-jobs', 'role.rbac.authorization.k8s.io/hooklet-jobs'] },
    { component: 'leader-election', objects: ['rolebinding.rbac.authorization.k8s.io/hooklet-leader-election'] },
    { component: 'run-port', objects: ['service/hooklet-jobs', 'networkpolicy.networking.k8s.io/hooklet-jobs'] },
    { component: 'schedule-state', objects: ['rolebinding.rbac.authorization.k8s.io/hooklet-schedule-state'] },
    { component: 'shards', objects: ['rolebinding.rbac.authorization.k8s.io/hooklet-shards'] },
    { component: 'ui', objects: ['clusterrole.rbac.authorization.k8s.io/hooklet-viewer'] },
    { component: 'webhook-certificates', objects: ['role.rbac.authorization.k8s.io/hooklet-webhook-certificates'] },
    {
      component: 'webhooks',
      objects: ['service/shell-operator-validating-svc', 'poddisruptionbudget.policy/hooklet'],
    },
    { component: 'webhooks-control-plane', objects: ['networkpolicy.networking.k8s.io/hooklet-webhooks'] },
    { component: 'workers', objects: ['serviceaccount/hooklet-workers', 'deployment.apps/hooklet-workers'] },
  ])('$component is accepted by the API server', async ({ component, objects }) => {
    await kubectl(['apply', '-f', join(deploy, 'base', 'namespace.yaml')]);

    const applied = await withComponents('', [component], async (path) =>
      kubectl(['apply', '--dry-run=server', '-k', path]),
    );

    for (const name of ['networkpolicy.networking.k8s.io/hooklet', 'deployment.apps/hooklet', ...objects]) {
      expect(applied).toContain(`${name} created (server dry run)`);
    }
  });

  it.each(['', 'own-hooks'])('build in every pair, and all together, on deploy/%s', async (folder) => {
    const pairs = components.flatMap((first, i) => components.slice(i + 1).map((second) => [first, second]));

    for (const names of [...pairs, components]) expect(await built(folder, names)).toContain('kind: Deployment');
    expect(pairs).toHaveLength(78);
  });

  it('webhooks-control-plane lets in what it names, and nobody else', async () => {
    const policies = (await built('', ['webhooks-control-plane'])).split('\n---\n');
    const policy = policies.find((text) => text.includes('kind: NetworkPolicy') && text.includes('hooklet-webhooks'));

    expect(policy).toContain('  ingress:\n  - from:\n    - ipBlock:\n        cidr: 192.0.2.10/32\n    ports:\n');
    expect(policy?.match(/- from:|- ports:/g)).toEqual(['- from:']);
  });
});
