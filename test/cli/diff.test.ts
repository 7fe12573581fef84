import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { startSandbox, type JsonObject } from '@hooklet/sandbox';
import { main } from '../../src/cli/program/program.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

function configMap(name: string, data: object): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data: { ...data } };
}

/** A hook that copies a value on its Synchronization. */
function hookOf(body: string, binding: object = { kind: 'ConfigMap', nameSelector: { matchNames: ['a'] } }): string {
  return `#!/bin/sh
if [ "$1" = --config ]; then echo '${JSON.stringify({ configVersion: 'v1', kubernetes: [binding] })}'; exit; fi
${body}
`;
}

const PATCH = `cat > "$KUBERNETES_PATCH_PATH" <<'EOF'
operation: MergePatch
kind: ConfigMap
namespace: default
name: b
mergePatch: {data: {k: wanted}}
EOF`;

/** Runs `hooklet diff` for one hook on a sandbox with two ConfigMaps. */
async function diff(hook: string | undefined, value: string, ...args: readonly string[]) {
  using folder = temporaryFolder();
  await using sandbox = await startSandbox();
  for (const object of [configMap('a', {}), configMap('b', { k: value })]) await sandbox.apply(object);
  const kubeconfig = join(folder.path, 'kubeconfig');
  writeFileSync(kubeconfig, sandbox.kubeconfig());
  if (hook !== undefined) writeFileSync(join(folder.path, 'hook.sh'), hook, { mode: 0o755 });
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    const code = await main(['diff', folder.path, '--kube-config', kubeconfig, ...args]);
    const text = (spy: typeof out): string => spy.mock.calls.map(([written]) => String(written)).join('');
    const changed = sandbox.requests.filter(({ method, query }) => method !== 'GET' && !query.includes('dryRun=All'));
    return { code, out: text(out), err: text(err), changed };
  } finally {
    out.mockRestore();
    err.mockRestore();
  }
}

describe('hooklet diff', () => {
  it('prints what would change, and ends with 1', async () => {
    expect(await diff(hookOf(PATCH), 'old')).toMatchObject({
      code: 1,
      out: '~ v1/ConfigMap/default/b (hook hook.sh)\n    data.k: "old" → "wanted"\n0 would be created, 1 changed, 0 deleted\n',
      err: expect.stringContaining('is NOT stopped'),
      changed: [],
    });
  });

  it('ends with 0 where nothing would change', async () => {
    expect(await diff(hookOf(PATCH), 'wanted')).toMatchObject({
      code: 0,
      out: '0 would be created, 0 changed, 0 deleted\n',
      changed: [],
    });
  });

  it('prints JSON', async () => {
    const { out } = await diff(hookOf(PATCH), 'old', '-o', 'json');

    expect(JSON.parse(out)).toEqual({
      changes: [
        { hook: 'hook.sh', object: 'v1/ConfigMap/default/b', change: 'change', fields: ['data.k: "old" → "wanted"'] },
      ],
    });
  });

  it.each([
    ['a hook fails', hookOf('echo broken >&2; exit 3'), [], /hook hook\.sh failed for .*exit code 3/],
    ['a hook is broken', hookOf('', { kind: '' }), [], /hook hook\.sh is broken/],
    ['a hook is not done in time', hookOf('sleep 60'), ['--timeout', '1s'], /in time.*give it longer with --timeout/],
    ['the time is none', hookOf(PATCH), ['--timeout', 'soon'], /--timeout: received "soon", expected a duration/],
    ['the cluster is not there', hookOf(PATCH), ['--kube-context', 'none'], /none/],
  ])('ends with 2 where %s', async (_, hook, args, expected) => {
    const { code, err, changed } = await diff(hook, 'old', ...args);

    expect({ code, changed }).toEqual({ code: 2, changed: [] });
    expect(err).toMatch(expected);
  });
});
