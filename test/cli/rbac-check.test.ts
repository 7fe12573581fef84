import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { isJsonObject, startSandbox, type Authorize, type JsonObject, type Sandbox } from '@hooklet/sandbox';
import { main } from '../../src/cli/program/program.ts';
import { recordingHook } from '../support/operator-rig.ts';
import { rbacOf } from '../support/rbac.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

const folder = temporaryFolder();
const hooks = join(folder.path, 'hooks');
const kubeConfig = join(folder.path, 'kubeconfig');
const USER = 'system:serviceaccount:team:guard';

const HOOK = recordingHook({
  configVersion: 'v1',
  kubernetes: [
    { name: 'pods', kind: 'Pod' },
    {
      name: 'one',
      kind: 'ConfigMap',
      nameSelector: { matchNames: ['a', 'b'] },
      namespace: { nameSelector: { matchNames: ['shop'] } },
    },
  ],
});

interface Printed {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function rbac(...args: readonly string[]): Promise<Printed> {
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    const code = await main(['rbac', hooks, '--service-account', 'team/guard', ...args]);
    const text = (spy: typeof out): string => spy.mock.calls.map(([written]) => String(written)).join('');
    return { code, out: text(out), err: text(err) };
  } finally {
    out.mockRestore();
    err.mockRestore();
  }
}

async function clusterWith(authorize: Authorize): Promise<Sandbox> {
  const sandbox = await startSandbox({ authorize });
  writeFileSync(kubeConfig, sandbox.kubeconfig());
  return sandbox;
}

function rolesIn(yaml: string): readonly JsonObject[] {
  return parseAllDocuments(yaml).map((document) => {
    const value: unknown = document.toJS();
    return isJsonObject(value) ? value : {};
  });
}

const asked = ({ requests }: Sandbox, kind: string): number =>
  requests.filter(({ path }) => path.endsWith(`/${kind}`)).length;
const check = ['--check', '--kube-config', kubeConfig] as const;

beforeAll(() => {
  mkdirSync(hooks);
  writeFileSync(join(hooks, 'a.sh'), HOOK, { mode: 0o755 });
});

afterAll(() => folder[Symbol.dispose]());

describe('hooklet rbac --check', () => {
  it('finds nothing missing where its own rules are granted, and each right that is not', async () => {
    let { authorize } = rbacOf(rolesIn((await rbac()).out));
    await using sandbox = await clusterWith((one) => one.user !== USER || authorize(one));

    const whole = await rbac(...check);
    ({ authorize } = rbacOf(rolesIn((await rbac()).out.replace('[pods]', '[nodes]').replace('[events]', '[pods]'))));
    const part = await rbac(...check);
    const json = await rbac(...check, '-o', 'json');

    expect(whole).toEqual({ code: 0, out: `${USER} has all of the 8 rights\n`, err: '' });
    expect(part).toEqual({
      code: 1,
      out: `missing: {apiGroups: [""], resources: [pods], verbs: [list, watch]} in a ClusterRole (hook a.sh: binding "pods" follows Pod in all namespaces, because it names none)
missing, but optional: {apiGroups: [""], resources: [events], verbs: [create, patch]} in a Role in the namespace team (hooklet: Events about its own Pod, where POD_NAME is set)
`,
      err: '',
    });
    expect(json.code).toBe(1);
    expect(JSON.parse(json.out)).toMatchObject({
      user: USER,
      rights: 8,
      missing: [
        { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'], isOptional: false },
        { resources: ['events'], namespace: 'team', isOptional: true },
      ],
    });
    expect(asked(sandbox, 'subjectaccessreviews')).toBe(25);
  });

  it('says where the account may do everything, so that nothing was tried', async () => {
    await using _ = await clusterWith(() => true);

    expect(await rbac(...check)).toMatchObject({
      code: 0,
      out: `${USER} has all of the 8 rights\n`,
      err: expect.stringContaining(`warning: ${USER} may do everything there`),
    });
  });

  it('asks about the names of a rule one by one, and about subresources as such', async () => {
    const seen: string[] = [];
    await using _ = await clusterWith(({ user, verb, resource, subresource, name }) => {
      if (user === USER) seen.push(`${verb} ${resource}/${subresource} ${name}`);
      return user !== USER || name !== 'b';
    });
    const role = { kind: 'reconcile' };
    writeFileSync(
      join(hooks, 'b.sh'),
      recordingHook({
        configVersion: 'v1',
        reconcile: [{ name: role.kind, apiVersion: 'v1', kind: 'Pod', owns: [{ apiVersion: 'v1', kind: 'Secret' }] }],
      }),
      { mode: 0o755 },
    );

    const { code, out } = await rbac(...check);

    expect(code).toBe(1);
    expect(out).toMatch(
      /^missing: .*resources: \[configmaps\], resourceNames: \[b\], verbs: \[list, watch\]\} in a Role in the namespace shop [^\n]*\n$/,
    );
    expect(seen).toContain('patch pods/status ');
  });

  it('is 2 where the cluster cannot be asked, with the rule that is missing', async () => {
    await using _ = await clusterWith(({ resource }) => resource !== 'subjectaccessreviews');

    const refused = await rbac(...check);
    const nowhere = await rbac('--check', '--kube-config', join(folder.path, 'none'));

    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toContain(`hooklet: the rights of ${USER} are not known: POST `);
    expect(refused.err).toContain(
      'add the rule {apiGroups: ["authorization.k8s.io"], resources: [subjectaccessreviews], verbs: [create]} to a ClusterRole',
    );
    expect(nowhere.code).toBe(2);
    expect(nowhere.err).toContain(join(folder.path, 'none'));
  });

  it.each([
    [['--check', '--diff', 'x'], 'use it without --diff and --per-hook'],
    [['--kube-context', 'x'], '--kube-config and --kube-context are for --check'],
    [['--check', '-o', 'yaml'], 'expected one of text, json'],
  ])('refuses %j', async (args, expected) => {
    expect(await rbac(...args)).toEqual({ code: 2, out: '', err: expect.stringContaining(expected) });
  });
});
