import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { isJsonObject } from '@hooklet/sandbox';
import { objectsAt, textAt, textsAt } from '@hooklet/sandbox/testing';
import { main } from '../../src/cli/program/program.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { startProgram } from '../support/program.ts';

const folder = temporaryFolder();
const hooks = join(folder.path, 'hooks');
const scenarios = join(folder.path, 'scenarios');

const hook = (config: object, body: string): string => `#!/bin/bash
if [ "\${1:-}" = --config ]; then
  sed "s/OWN/\${POD_NAMESPACE:-default}/" <<< '${JSON.stringify({ configVersion: 'v1', ...config })}'
  exit
fi
ask() { curl -s -X "$1" -H "Content-Type: application/json" -H "Authorization: Bearer $(sed -n 's/ *token: //p' "$KUBECONFIG")" \${3:+-d "$3"} "$(sed -n 's/ *server: //p' "$KUBECONFIG")$2"; }
${body}
`;

const FOLLOWS_ALL = hook(
  { kubernetes: [{ name: 'maps', apiVersion: 'v1', kind: 'ConfigMap', executeHookOnSynchronization: false }] },
  `ask GET /api/v1/nodes
ask POST /api/v1/namespaces/shop/events '{"apiVersion":"v1","kind":"Event","metadata":{"name":"e","namespace":"shop"},"involvedObject":{"kind":"Pod","name":"p","namespace":"shop"}}'
ask DELETE '/api/v1/namespaces/shop/pods?labelSelector=a'
ask GET /api/v1/namespaces/shop/pods/absent/log
echo '{"operation":"CreateOrUpdate","object":{"apiVersion":"v1","kind":"Secret","metadata":{"name":"copy","namespace":"shop"}}}' > "$KUBERNETES_PATCH_PATH"`,
);
const OWN = hook(
  {
    kubernetes: [
      { name: 'maps', apiVersion: 'v1', kind: 'ConfigMap', namespace: { nameSelector: { matchNames: ['OWN'] } } },
    ],
  },
  `cat > "$KUBERNETES_PATCH_PATH" <<PATCH
{"operation":"Apply","object":{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d","namespace":"\${POD_NAMESPACE:-default}"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"a","image":"b"}]}}}}}
{"operation":"DeleteInBackground","apiVersion":"v1","kind":"Secret","namespace":"elsewhere","name":"absent"}
PATCH`,
);
const NEVER = hook({ schedule: [{ crontab: '0 0 1 1 *' }] }, '');

const STORY = `name: the hooks do their work
given:
  objects:
    - {apiVersion: v1, kind: Namespace, metadata: {name: shop}}
    - {apiVersion: v1, kind: Namespace, metadata: {name: elsewhere}}
steps:
  - apply: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}}
    expect: {runs: RUNS}
`;

const KEEPS = {
  reconcile: [
    { name: 'kept', apiVersion: 'v1', kind: 'ConfigMap', namespace: { nameSelector: { matchNames: ['default'] } } },
  ],
};
const KEPT_STORY = `name: the hook says what is kept
steps:
  - apply: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}}
`;

interface Printed {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function rbac(...args: readonly string[]): Promise<Printed> {
  const [first = ''] = args;
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    const code = await main(['rbac', ...(first.startsWith('--') ? [hooks] : []), ...args]);
    const text = (spy: typeof out): string => spy.mock.calls.map(([written]) => String(written)).join('');
    return { code, out: text(out), err: text(err) };
  } finally {
    out.mockRestore();
    err.mockRestore();
  }
}

/** `namespace group/resource: verbs`. */
function rulesIn(yaml: string): readonly string[] {
  return parseAllDocuments(yaml).flatMap((document) => {
    const role: unknown = document.toJS();
    return objectsAt(isJsonObject(role) ? role : {}, 'rules').map((rule) => {
      const [group = ''] = textsAt(rule, 'apiGroups');
      const namespace = isJsonObject(role) ? textAt(role, 'metadata', 'namespace') : '';
      return `${namespace} ${group}/${textsAt(rule, 'resources').join()}: ${textsAt(rule, 'verbs').join(' ')}`;
    });
  });
}

beforeAll(() => {
  for (const one of [hooks, scenarios]) mkdirSync(one);
  const mode = { mode: 0o755 };
  writeFileSync(join(hooks, 'all.sh'), FOLLOWS_ALL, mode);
  writeFileSync(join(hooks, 'own.sh'), OWN, mode);
  writeFileSync(join(hooks, 'never.sh'), NEVER, mode);
});

afterAll(() => folder[Symbol.dispose]());

describe('hooklet rbac --scenarios', () => {
  it('has what the hooks asked themselves and by patches, in all branches, where they will run', async () => {
    writeFileSync(join(scenarios, 'a.yaml'), STORY.replace('RUNS', '2'));

    const { code, out, err } = await rbac('--scenarios', scenarios, '--service-account', 'team/guard');

    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('what they write is not known: never.sh') });
    expect(rulesIn(out)).toEqual([
      ' /configmaps: list watch',
      ' /events: create',
      ' /nodes: list',
      ' /pods: deletecollection',
      ' /pods/log: get',
      ' /secrets: get create update',
      'elsewhere /secrets: delete',
      'team apps/deployments: create patch',
      'team /events: patch',
    ]);
    expect(out).toContain('# Made by hooklet rbac from the bindings of the hooks and their scenarios.\n');
    expect(out).toContain(
      'hook all.sh: CreateOrUpdate of Secret, seen once, in all namespaces, because the hook follows them all\n',
    );
    expect(out).toContain('# hook all.sh: asked once in the scenarios\n');
  });

  it.each([
    ['state', '{"state": {"step": 1}}'],
    [
      'an Event that is told once',
      '{"events": [{"type": "Normal", "reason": "Done", "message": "done", "once": "a"}]}',
    ],
    ['refused', '{"refused": {"reason": "TooBig", "message": "too big"}}'],
  ])('has the rights on the object of a reconcile binding that %s needs, in all branches', async (_, result) => {
    using own = temporaryFolder();
    for (const one of ['hooks', 'scenarios']) mkdirSync(join(own.path, one));
    const [kept, story] = [join(own.path, 'hooks', 'kept.sh'), join(own.path, 'scenarios', 'kept.yaml')];
    writeFileSync(kept, hook(KEEPS, `echo '${result}' > "$RESULT_PATH"`), { mode: 0o755 });
    writeFileSync(story, KEPT_STORY);

    const bare = await rbac(kept);
    const seen = await rbac(kept, '--scenarios', story);

    expect(rulesIn(bare.out)).toContain('default /configmaps: list watch');
    expect(rulesIn(seen.out)).toContain('default /configmaps: get list watch patch');
  });

  it('prints no rules of a scenario that fails or cannot be read', async () => {
    writeFileSync(join(scenarios, 'a.yaml'), STORY.replace('RUNS', '7'));
    const failed = await rbac('--scenarios', join(scenarios, 'a.yaml'));
    writeFileSync(join(scenarios, 'a.yaml'), STORY.replace('steps', 'stepps'));
    const unread = await rbac('--scenarios', join(scenarios, 'a.yaml'));

    expect(failed).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/a\.yaml:\d+: .*expected 7, found 2/),
    });
    expect(failed.err).toContain('repair them first, see hooklet test');
    expect(unread).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringMatching(/--scenarios: .*a\.yaml:\d+: .*stepps/),
    });
  });

  it('says that it was interrupted by SIGTERM, and prints no rules', async () => {
    using own = temporaryFolder();
    for (const name of ['hooks', 'scenarios']) mkdirSync(join(own.path, name));
    const [slow, story, mark] = ['hooks/slow.sh', 'scenarios/slow.yaml', 'began'].map((name) => join(own.path, name));
    writeFileSync(slow ?? '', hook({ onStartup: 1 }, `touch ${mark}; sleep 60`), { mode: 0o755 });
    writeFileSync(story ?? '', 'name: the hook is slow\nsteps:\n  - expect: {runs: 1}\n');
    const program = startProgram(['rbac', slow ?? '', '--scenarios', story ?? '']);
    await vi.waitFor(() => expect(existsSync(mark ?? '')).toBe(true), 20_000);

    program.signal('SIGTERM');

    expect(await program.ended).toBe(1);
    expect(program.stdout()).toBe('');
    expect(program.stderr()).toBe(
      'hooklet: --scenarios: it was interrupted, so that what the hooks need is not known\n',
    );
  });
});
