import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { temporaryFolder } from '../support/hook-rig.ts';
import { kubeconfigFile } from '../support/kubeconfig-file.ts';
import { until } from '../support/operator-rig.ts';
import { startProgram, type Program } from '../support/program.ts';

// Works until it is told to end.
const HOOK = `#!/bin/bash
if [[ "\${1:-}" == --config ]]; then echo '{"configVersion":"v1","onStartup":1}'; exit; fi
touch "$OUT/$POD_NAME.began"
while [[ -d "$OUT" && ! -e "$OUT/$POD_NAME.end" ]]; do date +%s%3N >> "$OUT/$POD_NAME.beats"; sleep 0.02; done
echo "{operation: Create, object: {apiVersion: v1, kind: ConfigMap, metadata: {namespace: default, name: \${POD_NAME}}}}" >> "$KUBERNETES_PATCH_PATH"
`;
const TIMES = { 'lease-duration': '8s', 'renew-deadline': '6s', 'retry-period': '1s' };

async function rig() {
  const sandbox = await sandboxForTest();
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const [hooks, out] = ['hooks', 'out'].map((name) => join(folder.path, name)) as [string, string];
  for (const made of [hooks, out]) mkdirSync(made);
  writeFileSync(join(hooks, 'hook.sh'), HOOK);
  chmodSync(join(hooks, 'hook.sh'), 0o755);
  const env = { OUT: out, POD_NAMESPACE: 'default', KUBECONFIG: kubeconfigFile(folder.path, sandbox) };
  const times = Object.entries(TIMES).flatMap(([name, value]) => [`--leader-election-${name}`, value]);
  const common = ['--hooks-dir', hooks, '--listen-port', '0', '--listen-address', '127.0.0.1', '--leader-elect'];
  return {
    replica: (name: string): Program => {
      const args = ['start', ...common, ...times, '--tmp-dir', join(folder.path, `tmp-${name}`)];
      return startProgram(args, { env: { ...env, POD_NAME: name } });
    },
    begun: async (name: string) => until(() => expect(existsSync(join(out, `${name}.began`))).toBe(true)),
    end: (name: string) => writeFileSync(join(out, `${name}.end`), ''),
    beats: (name: string): readonly number[] => {
      const file = join(out, `${name}.beats`);
      return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : [];
    },
    made: async (name: string): Promise<number> =>
      (await sandbox.call('GET', `/api/v1/namespaces/default/configmaps/${name}`)).code,
  };
}

describe('a leader that stands still', { timeout: 120_000 }, () => {
  it('has its hook killed before another leads, and ends when it goes on', async () => {
    const { replica, begun, beats } = await rig();
    const first = replica('first');
    await begun('first');
    const second = replica('second');
    await second.says('standing by');

    first.signal('SIGSTOP');
    await until(() => expect(beats('second').length).toBeGreaterThan(20));
    first.signal('SIGCONT');

    expect(await first.ended).not.toBe(0);
    expect(first.stderr() + first.stdout()).toContain('lease default/hooklet is lost');
    expect(Math.max(...beats('first'))).toBeLessThan(beats('second')[0] ?? 0);
  });

  it('applies nothing of a hook that ended meanwhile', async () => {
    const { replica, begun, end, made } = await rig();
    const first = replica('first');
    await begun('first');
    const second = replica('second');
    await second.says('standing by');

    first.signal('SIGSTOP');
    end('first');
    await begun('second');
    end('second');
    await until(async () => expect(await made('second')).toBe(200));
    first.signal('SIGCONT');

    expect(await first.ended).not.toBe(0);
    expect(await made('first')).toBe(404);
  });
});
