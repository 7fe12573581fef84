import { describe, expect, it } from 'vitest';
import { ignoredOptions, withoutEffect } from '../../src/cli/control/ignored-options.ts';
import { startOptions } from '../../src/cli/options/options.ts';

describe('options of shell-operator that have no effect', () => {
  it('are named as they were given, flag or variable', () => {
    expect(
      withoutEffect(
        { debugKubernetesApi: 'false', logNoTime: true, hooksDir: '/hooks' },
        { KUBE_SERVER: '', OBJECT_PATCHER_KUBE_CLIENT_QPS: '5', PATH: '/bin' },
      ),
    ).toEqual(['--log-no-time', '--debug-kubernetes-api', 'OBJECT_PATCHER_KUBE_CLIENT_QPS']);
  });

  it('are none of those that have one', () => {
    const flags = Object.values(startOptions).map(({ flag }) => flag.replace(/ .*/, ''));
    const variables = Object.values(startOptions).flatMap(({ env }) => env);

    for (const { flag, env } of Object.values(ignoredOptions)) {
      expect(flags).not.toContain(flag.replace(/ .*/, ''));
      expect(variables).not.toContain(env);
    }
  });
});
