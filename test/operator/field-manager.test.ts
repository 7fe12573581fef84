import { expect, it, onTestFinished, vi } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { operatorOptions } from '../../src/cli/start.ts';
import { startOptions } from '../../src/cli/options/options.ts';
import { resolveOptions } from '../../src/cli/options/resolve.ts';
import { createLogger } from '../../src/log.ts';
import { recordingHook, sandboxCluster, startOperator, until } from '../support/operator-rig.ts';

const hook = recordingHook(
  { configVersion: 'v1', onStartup: 1 },
  `cat > "$KUBERNETES_PATCH_PATH" <<'PATCH'
{"operation":"Apply","fieldManager":"other","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"made","namespace":"default"},"data":{"x":"y"}}}
{"operation":"MergePatch","kind":"ConfigMap","namespace":"default","name":"made","mergePatch":{"data":{"a":"b"}}}
PATCH`,
);

it.each([
  [{}, '', 'hooklet'],
  [{}, 'shell-operator', 'shell-operator'],
  [{ fieldManager: 'mine' }, 'shell-operator', 'mine'],
])('with %j, called as %j, the user agent begins with %s', async (flags, called, manager) => {
  vi.stubEnv('HOOKLET_COMPAT', called);
  onTestFinished(() => void vi.unstubAllEnvs());
  const options = resolveOptions(startOptions, flags, {});
  const sandbox = await sandboxForTest();
  const log = createLogger({ format: 'json', level: 'error', write: () => {} });
  const { cluster } = operatorOptions(options, sandboxCluster(sandbox), log);

  expect(cluster.userAgent).toMatch(new RegExp(`^${manager}/\\d`));
});

it('is what the user agent begins with', async () => {
  const sandbox = await sandboxForTest();
  const cluster = { connect: sandboxCluster(sandbox), userAgent: 'shell-operator/1.0.0' };
  await using operator = startOperator({ connect: cluster.connect, hooks: { 'a.sh': hook }, operator: { cluster } });
  await until(() => expect(operator.runs('a.sh')).toHaveLength(1));

  await until(async () => {
    const answer = await fetch(`${sandbox.url}/api/v1/namespaces/default/configmaps/made`, {
      headers: { authorization: `Bearer ${sandbox.token}` },
    });
    expect(await answer.json()).toMatchObject({
      data: { a: 'b' },
      metadata: { managedFields: expect.arrayContaining([expect.objectContaining({ manager: 'shell-operator' })]) },
    });
  });
});
