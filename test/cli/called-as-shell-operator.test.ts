import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { builtMain } from '../support/built-program.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { kubeconfigFile } from '../support/kubeconfig-file.ts';
import { startProgram } from '../support/program.ts';

const HOOK = `#!/bin/bash
if [[ $1 == --config ]]; then echo '{"configVersion":"v1","onStartup":1}'; exit; fi
echo '{"level":"error","msg":"from the hook","code":7}'
`;

it.each([
  ['shell-operator', {}, 'shell_operator_'],
  ['hooklet', { HOOKLET_COMPAT: 'shell-operator' }, 'shell_operator_'],
  ['hooklet', {}, 'hooklet_'],
])('called as %s with %j it has metrics that begin with %s, and its logs', async (name, env, prefix) => {
  using folder = temporaryFolder();
  const sandbox = await sandboxForTest();
  const link = join(folder.path, name);
  symlinkSync(builtMain(), link);
  mkdirSync(join(folder.path, 'hooks'));
  const hook = join(folder.path, 'hooks', 'hook.sh');
  writeFileSync(hook, HOOK);
  chmodSync(hook, 0o755);

  const program = startProgram(['start', '--listen-port', '0', '--listen-address', '127.0.0.1'], {
    main: link,
    cwd: folder.path,
    env: { KUBECONFIG: kubeconfigFile(folder.path, sandbox), HOOKLET_TMP_DIR: folder.path, ...env },
  });
  const isPeer = prefix === 'shell_operator_';
  await program.says(isPeer ? '"msg":"Hook executed successfully"' : '"msg":"hook finished"');

  const url = /"url":"([^"]+)"/.exec(program.stdout())?.[1] ?? '';
  const page = await (await fetch(`${url}/metrics`)).text();
  program.signal('SIGTERM');
  expect(await program.ended).toBe(0);
  expect(page).toContain(`\n${prefix}hook_run_success_total{hook="hook.sh",binding="",queue=""} 1\n`);
  expect(page).toContain(`\n# TYPE d8_telemetry_${prefix}tasks_queue_compaction_operations_total counter\n`);
  expect(
    program
      .stdout()
      .includes('{"level":"error","logger":"shell-operator.hook-manager.hook.executor","msg":"from the hook"'),
  ).toBe(isPeer);
});
