import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { isJsonObject, startSandbox, type AccessAttributes, type Authorize, type JsonObject } from '@hooklet/sandbox';
import { objectsAt, textAt, textsAt } from '@hooklet/sandbox/testing';
import { main } from '../../src/cli/program/program.ts';
import { examplesDir, readManifests } from '../support/example-rig.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { recordingHook, sandboxCluster, startOperator, until } from '../support/operator-rig.ts';
import { rbacOf } from '../support/rbac.ts';

const folder = temporaryFolder();
const configMap = (name: string, data: object = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', labels: { app: 'a' } },
  data: { ...data },
});

// It creates by server-side apply, patches, changes with jq, writes a copy and deletes.
const HOOK = recordingHook(
  {
    configVersion: 'v1',
    kubernetes: [
      {
        kind: 'ConfigMap',
        nameSelector: { matchNames: ['source'] },
        namespace: { nameSelector: { matchNames: ['default'] } },
      },
    ],
  },
  `cat > "$KUBERNETES_PATCH_PATH" <<'EOF'
operation: Apply
object: {apiVersion: apps/v1, kind: Deployment, metadata: {name: made, namespace: default}, spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: b}]}}}}
---
operation: MergePatch
kind: Secret
namespace: default
name: secret
mergePatch: {stringData: {a: b}}
---
operation: JQPatch
kind: Service
namespace: default
name: service
jqFilter: .metadata.labels.a = "b"
---
operation: CreateOrUpdate
object: {apiVersion: v1, kind: ServiceAccount, metadata: {name: copy, namespace: default}}
---
operation: Delete
kind: Secret
namespace: default
name: old
EOF`,
);

const BEFORE: readonly JsonObject[] = [
  configMap('source'),
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'secret', namespace: 'default' } },
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'old', namespace: 'default' } },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'service', namespace: 'default' },
    spec: { ports: [{ port: 1 }] },
  },
];

interface Printed {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function hooklet(...args: readonly string[]): Promise<Printed> {
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    const code = await main(args);
    const text = (spy: typeof out): string => spy.mock.calls.map(([written]) => String(written)).join('');
    return { code, out: text(out), err: text(err) };
  } finally {
    out.mockRestore();
    err.mockRestore();
  }
}

function rolesIn(yaml: string): readonly JsonObject[] {
  return parseAllDocuments(yaml).map((document) => {
    const value: unknown = document.toJS();
    return isJsonObject(value) ? value : {};
  });
}

/** Runs the hook once on a sandbox. */
async function runHook(authorize: Authorize, work: () => Promise<void>): Promise<void> {
  let isAdmin = true;
  await using sandbox = await startSandbox({ authorize: (attributes) => isAdmin || authorize(attributes) });
  for (const object of BEFORE) await sandbox.apply(object);
  isAdmin = false;
  await using operator = startOperator({
    hooks: { 'a.sh': HOOK },
    connect: sandboxCluster(sandbox),
    operator: { controlSocket: { path: join(folder.path, 'socket'), isRequired: true } },
  });
  await until(() => expect(operator.lines.map(({ message }) => message)).toContain('hook finished'));
  await work();
}

function auditLine({ verb, group, resource, subresource, namespace, name }: AccessAttributes, user: string): string {
  return JSON.stringify({
    stage: 'ResponseComplete',
    verb,
    user: { username: user },
    objectRef: { apiGroup: group, resource, subresource, namespace, name },
    responseStatus: { code: 200 },
  });
}

const hooks = join(folder.path, 'hooks');
const socket = ['--debug-unix-socket', join(folder.path, 'socket')];

describe('hooklet rbac', () => {
  afterEach(() => vi.restoreAllMocks());

  it('prints of an audit log exactly what was used, and of an operator enough to run with nothing else', async () => {
    const used: AccessAttributes[] = [];
    writeHooks();
    let observed: Printed | undefined;
    await runHook(
      (attributes) => {
        if (attributes.path === '') used.push(attributes);
        return true;
      },
      async () => void (observed = await hooklet('rbac', hooks, '--observed', ...socket)),
    );
    const audit = join(folder.path, 'audit.log');
    const own = used.map((one) => auditLine(one, 'system:serviceaccount:default:hooklet'));
    writeFileSync(audit, [...own, auditLine({ ...BASE, verb: 'delete' }, 'admin'), 'cut off {'].join('\n'));

    const account = ['--service-account', 'default/hooklet'];
    const seen = await hooklet('rbac', hooks, '--audit', audit, '--only-seen', ...account);

    const rights = new Set(
      used.map(({ verb, group, resource, namespace }) => `${namespace} ${group}/${resource} ${verb}`),
    );
    expect(seen.code).toBe(0);
    expect(seen.err).toContain('1 requests of other users were skipped: admin');
    expect(seen.err).toMatch(/1 of \d+ lines are no audit events/);
    expect(granted(seen.out)).toEqual([...rights].toSorted());
    // Only with what the operator has told, on a new cluster, nothing is refused.
    const rbac = rbacOf(rolesIn(observed?.out ?? ''));
    await runHook(rbac.authorize, async () => {});
    expect(rbac.refused()).toEqual([]);
    // The branches that a second run on an empty cluster does not take.
    const branches = [
      'create deployments.apps',
      'patch deployments.apps',
      'create serviceaccounts',
      'update serviceaccounts',
    ];
    const unneeded = rbac.unused().filter((right) => !['create events', 'patch events', ...branches].includes(right));
    expect(unneeded).toEqual([]);
  });

  it.each([
    '104-secret-copier',
    '113-web-site',
    '115-secret-copies',
    '204-validating-webhook',
    '210-conversion-webhook',
  ])('finds nothing missing in the manifests of %s, and besides only what its patches need', async (name) => {
    const path = join(examplesDir, name, 'manifests', 'deploy.yaml');
    const manifests = readManifests(path);
    const deployment = manifests.find(({ kind }) => kind === 'Deployment');
    const account = manifests.find(({ kind }) => kind === 'ServiceAccount');
    const [container] = objectsAt(deployment, 'spec', 'template', 'spec', 'containers');
    for (const one of objectsAt(container, 'env')) {
      if (textAt(one, 'value') !== '') vi.stubEnv(textAt(one, 'name'), textAt(one, 'value'));
    }
    const namespace = textAt(account, 'metadata', 'namespace');
    vi.stubEnv('POD_NAMESPACE', namespace);

    const { code, out } = await hooklet(
      'rbac',
      join(examplesDir, name, 'hooks'),
      '--webhooks',
      '--crds',
      join(examplesDir, name, 'manifests'),
      '--service-account',
      `${namespace}/${textAt(account, 'metadata', 'name')}`,
      '--diff',
      path,
    );
    vi.unstubAllEnvs();

    const lines = out.split('\n').filter((line) => line !== '' && line !== 'nothing differs');
    expect(lines.filter((line) => /^(?:missing:|wildcard|unused)/.test(line))).toEqual([]);
    for (const line of lines) expect(line).toMatch(/^(?:missing, but optional|not derived from the bindings): /);
    expect(lines.filter((line) => /^not derived.*(?:list|watch)/.test(line))).toEqual([]);
    expect(code).toBe(0);
  });

  it('compares: exit code 0 where nothing differs, 1 where something is missing, unused or a wildcard', async () => {
    writeHooks();
    const role = join(folder.path, 'role.yaml');
    const audit = join(folder.path, 'used.log');
    writeFileSync(audit, auditLine({ ...BASE, verb: 'list', name: 'source' }, 'system:serviceaccount:hooklet:hooklet'));
    const { out } = await hooklet('rbac', hooks);
    const diff = async (text: string, ...more: readonly string[]): Promise<Printed> => {
      writeFileSync(role, text);
      return hooklet('rbac', hooks, '--diff', role, ...more);
    };

    expect(await diff(out)).toMatchObject({ code: 0, out: 'nothing differs\n' });
    expect(await diff(out.replace('verbs: [list, watch]', 'verbs: [list]'))).toMatchObject({
      code: 1,
      out: expect.stringMatching(
        /^missing: \{apiGroups: \[""\], resources: \[configmaps\], resourceNames: \[source\], verbs: \[watch\]\} in a Role in the namespace default \(hook a.sh: binding/,
      ),
    });
    const more = out.replace('verbs: [list, watch]', 'verbs: [list, watch, delete]');
    expect(await diff(more)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^not derived from the bindings: delete/),
    });
    expect(await diff(more, '--audit', audit)).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^unused: delete/),
    });
    expect(await diff(out.replace('resources: [events]', 'resources: [pods]'))).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^missing, but optional: .* in the namespace hooklet \(hooklet: Events about/),
    });
    const wild = out.replace('verbs: [list, watch]', 'verbs: ["*"]');
    expect(await diff(wild)).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^wildcard: \* configmaps "source"/),
    });
  });

  it('refuses what it cannot read with exit code 2, and says what, where and what to do', async () => {
    writeHooks();
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder.path, name), text);
      return join(folder.path, name);
    };
    const pod = file('pod.yaml', 'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n');
    const broken = file('broken.yaml', 'a: [\n');
    const crd = file('crd.yaml', 'kind: CustomResourceDefinition\nspec: {names: {kind: 3}}\n');
    const cases: readonly (readonly [readonly string[], string])[] = [
      [['--diff', pod], `${pod}:1: kind: received "Pod", expected a Role or ClusterRole`],
      [['--diff', broken, join(folder.path, 'none')], `${broken}:2`],
      [['--diff', broken, join(folder.path, 'none')], `${join(folder.path, 'none')} cannot be read`],
      [['--crds', crd], `${crd}:1: spec.names.kind: received 3, expected a name`],
      [['--audit', pod], 'none of its 3 lines is an audit event'],
      [['--audit', file('empty.log', '')], 'is empty, expected an audit log'],
      [['--audit', join(folder.path, 'none')], 'cannot be read'],
      [['--service-account', 'x'], '--service-account: received "x", expected NAMESPACE/NAME'],
      [['--only-seen'], '--only-seen needs --audit FILE or --observed'],
      [['-o', 'xml'], 'expected one of yaml, json'],
    ];

    for (const [args, expected] of cases) {
      const { code, out, err } = await hooklet('rbac', hooks, ...args);
      expect({ code, out, err }).toEqual({ code: 2, out: '', err: expect.stringContaining(expected) });
    }
  });

  it('names the Lease and the webhook configuration that flags name', async () => {
    const judging = join(examplesDir, '204-validating-webhook', 'hooks');
    const lease = ['--leader-elect', '--leader-election-lease-name', 'my-lease'];
    const configuration = ['--webhooks', '--validating-webhook-configuration-name', 'my-webhooks'];

    const { code, out } = await hooklet('rbac', judging, ...lease, ...configuration);

    expect(code).toBe(0);
    expect(out).toContain('resourceNames: [my-lease]');
    expect(out).toContain('my-webhooks-hooks');
  });

  it('has with --shards the Leases of all replicas, and the ConfigMap that a flag names', async () => {
    const shards = ['--shards', '--shards-lease-name', 'my-shards'];

    const { code, out } = await hooklet('rbac', join(examplesDir, '101-monitor-pods', 'hooks'), ...shards);

    expect(code).toBe(0);
    expect(out.replaceAll(/\s+#.*|^\s*#.*\n/gm, '')).toContain(
      'resources: [leases]\n    verbs: [get, list, create, update, delete]\n',
    );
    expect(out).toMatch(/resourceNames: \[my-shards-slices]\n\s+verbs: \[get, update]/);
  });

  it('names the Secret of the Service of Jobs that a flag names, where a hook has Jobs', async () => {
    const config = '{"configVersion":"v1","onStartup":1,"settings":{"executor":{"job":{"namespace":"heavy"}}}}';
    using jobs = temporaryFolder();
    writeFileSync(join(jobs.path, 'a.sh'), `#!/bin/sh\necho '${config}'\n`, { mode: 0o755 });

    const { code, out } = await hooklet('rbac', jobs.path, '--jobs-service-name', 'my-jobs');

    expect(code).toBe(0);
    expect(out).toContain('resourceNames: [my-jobs-certs]');
    expect(out).toContain('namespace: heavy');
  });

  it('has a help of at most 100 columns', async () => {
    const { code, out } = await hooklet('rbac', '--help');

    expect(code).toBe(0);
    expect(Math.max(...out.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(100);
  });

  it('refuses to print rules where a hook is broken, and says so where no operator answers', async () => {
    writeHooks();
    writeFileSync(join(hooks, 'b.sh'), '#!/bin/sh\necho "{configVersion: v1, kubernetes: [{}]}"\n', { mode: 0o755 });

    expect(await hooklet('rbac', hooks)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('hook b.sh has'),
    });
    expect(await hooklet('rbac', join(hooks, 'a.sh'), '--observed', ...socket)).toMatchObject({
      code: 1,
      err: expect.stringContaining('no operator to ask'),
    });
  });

  it('reads a log of 40 MB in lines of any length in little memory', async () => {
    writeHooks();
    const big = join(folder.path, 'big.log');
    const one = auditLine({ ...BASE, verb: 'get', name: 'x' }, 'system:serviceaccount:hooklet:hooklet');
    writeFileSync(big, `${'x'.repeat(20_000_000)}\n${`${one}\n`.repeat(Math.floor(20_000_000 / (one.length + 1)))}`);
    const before = process.memoryUsage().rss;

    const { code, err } = await hooklet('rbac', join(hooks, 'a.sh'), '--audit', big);

    expect(code).toBe(0);
    expect(err).toContain('lines are no audit events');
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
    expect(readFileSync(big).length).toBeGreaterThan(39_000_000);
  });
});

const BASE: AccessAttributes = {
  user: '',
  verb: '',
  group: '',
  version: 'v1',
  resource: 'configmaps',
  subresource: '',
  namespace: 'default',
  name: '',
  path: '',
};

function granted(yaml: string): readonly string[] {
  return rolesIn(yaml)
    .flatMap((role) =>
      objectsAt(role, 'rules').flatMap((rule) =>
        textsAt(rule, 'verbs').map((verb) => {
          const [group = ''] = textsAt(rule, 'apiGroups');
          const [resource = ''] = textsAt(rule, 'resources');
          return `${textAt(role, 'metadata', 'namespace')} ${group}/${resource} ${verb}`;
        }),
      ),
    )
    .toSorted();
}

/** The folder with the one hook. */
function writeHooks(): void {
  rmSync(hooks, { recursive: true, force: true });
  mkdirSync(hooks);
  writeFileSync(join(hooks, 'a.sh'), HOOK, { mode: 0o755 });
}

afterAll(() => folder[Symbol.dispose]());
