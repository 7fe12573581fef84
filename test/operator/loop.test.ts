import { describe, expect, it } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { recordingHook, sandboxCluster, startOperator, until } from '../support/operator-rig.ts';

describe('a hook that writes the time into what it watches', () => {
  it('is told once, with object and field, and its 15th run comes after the 1500 ms that its events were held', async () => {
    const sandbox = await sandboxForTest();
    const patch = `n=$(ls "$OUT/loop.sh" | wc -l)
      echo '{"operation": "MergePatch", "kind": "ConfigMap", "namespace": "default", "name": "clock",
             "mergePatch": {"data": {"count": "'$n'", "same": "yes"}}}' > "$KUBERNETES_PATCH_PATH"`;
    const kubernetes = [
      {
        name: 'maps',
        kind: 'ConfigMap',
        namespace: { nameSelector: { matchNames: ['default'] } },
        executeHookOnSynchronization: false,
      },
    ];
    await using operator = startOperator({
      connect: sandboxCluster(sandbox),
      hooks: {
        'loop.sh': recordingHook({ configVersion: 'v1', kubernetes }, patch),
        'other.sh': recordingHook({ configVersion: 'v1', kubernetes }),
      },
    });
    await until(async () => expect((await fetch(`${operator.url()}/readyz`)).status).toBe(200));
    const startedAt = performance.now();
    await sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'clock', namespace: 'default' } });

    const warnings = () => operator.lines.filter(({ message }) => message.includes('triggers itself in a loop'));
    await until(() => expect(operator.runs('loop.sh').length).toBeGreaterThanOrEqual(15));
    const elapsedMs = performance.now() - startedAt;

    // No delay after the first ten, then 100, 200, 400 and 800 ms.
    expect(elapsedMs).toBeGreaterThan(1500);
    expect(warnings()).toHaveLength(1);
    expect(warnings()[0]?.fields).toMatchObject({
      hook: 'loop.sh',
      object: 'v1/ConfigMap/default/clock',
      fields: ['data.count'],
    });
    const page = await (await fetch(`${operator.url()}/metrics`)).text();
    expect(page).toMatch(/^shell_operator_hook_loop_runs_total\{hook="loop.sh"\} [1-9]/m);
    expect(page).not.toContain('hook_loop_runs_total{hook="other.sh"}');
  });
});
