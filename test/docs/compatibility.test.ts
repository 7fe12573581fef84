import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { startOptions } from '../../src/cli/options/options.ts';
import { main } from '../../src/cli/program/program.ts';
import { HookMetrics } from '../../src/effects/hook-metrics.ts';
import { recordingHook, sandboxCluster, startOperator, until } from '../support/operator-rig.ts';
import { converse } from '../support/patch-rig.ts';
import { codes, readDocument, root, tables } from './markdown.ts';

const compatibility = readDocument('docs/compatibility.md');

/** The choices, less those whose table has no tests. */
const choices = tables(compatibility)
  .flat()
  .filter((row) => row.length === 4);

/** Whether a test file has a test, or a row of a table of tests, of this title. */
function hasTest(name: string): boolean {
  const [file = '', title = ''] = name.split('::');
  if (!existsSync(join(root, file))) return false;
  const source = readDocument(file);
  return [`'${title}'`, `"${title}"`, `\`${title}\``].some((quoted) => source.includes(quoted));
}

describe('docs/compatibility.md', () => {
  it('names tests that are there, at least one for each choice', () => {
    const named = choices.map((row) => codes(row[3]));

    expect(choices.length).toBeGreaterThan(50);
    expect(choices.filter((_, index) => named[index]?.length === 0)).toEqual([]);
    expect(named.flat().filter((name) => !hasTest(name))).toEqual([]);
  });
});

describe('a choice beside shell-operator', () => {
  it('Delete goes to its subresource', async () => {
    const target = { kind: 'Pod', namespace: 'default', name: 'web', subresource: '/status' };
    const { applied } = await converse({
      operations: [{ operation: 'Delete', ...target }],
      script: [['DELETE /api/v1/namespaces/default/pods/web/status', { kind: 'Pod' }]],
    });

    expect(applied).toMatchObject([{ change: 'deleted' }]);
  });

  it('observe takes a group', () => {
    const metrics = new HookMetrics();
    const observe = { action: 'observe', name: 'seconds', labels: {}, value: 2, buckets: [1, 5], group: 'g' } as const;

    metrics.apply('a.sh', [observe, observe]);
    metrics.apply('a.sh', [observe]);

    expect(metrics.text()).toContain('seconds_count{hook="a.sh"} 1\n');
  });

  it('metrics of an onStartup run have no queue', async () => {
    const sandbox = await sandboxForTest();
    const hooks = { 'a.sh': recordingHook({ configVersion: 'v1', onStartup: 1 }) };
    await using operator = startOperator({ hooks, connect: sandboxCluster(sandbox) });

    await until(async () => {
      const response = await fetch(`${operator.url()}/metrics`);
      expect(await response.text()).toContain(
        'shell_operator_hook_run_success_total{hook="a.sh",binding="",queue=""} 1\n',
      );
    });
  });

  it('variables without effect in shell-operator have none here', () => {
    const variables = Object.values(startOptions).flatMap(({ env }): readonly string[] => env);

    expect(variables).toContain('LOG_TYPE');
    expect(variables).not.toContain('LOG_NO_TIME');
    expect(variables).not.toContain('KUBE_SERVER');
    expect(variables).not.toContain('DEBUG_KUBERNETES_API');
  });

  it('flags of start need no command', async () => {
    expect(await wrongUse(['--kube-client-qps', 'x'])).toContain('--kube-client-qps: got "x", expected a number');
  });

  it('flags of shell-operator without effect are accepted', async () => {
    const flags = [
      '--kube-server',
      'x',
      '--log-no-time',
      '--debug-kubernetes-api',
      '--object-patcher-kube-client-timeout',
      'x',
      '--kube-client-burst',
      'x',
    ];

    // Only the one with an effect is looked at.
    expect(await wrongUse(['start', ...flags])).toMatch(/^hooklet: --kube-client-burst: got "x", expected [^\n]*\n/);
  });
});

/** What is said on standard error of a command line that is refused. */
async function wrongUse(args: readonly string[]): Promise<string> {
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    expect(await main(args)).toBe(2);
    return stderr.mock.calls.map(([text]) => String(text)).join('');
  } finally {
    stderr.mockRestore();
  }
}
