import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { sandboxCluster, startOperator, until } from '../support/operator-rig.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

// As where a container gets little of a core at its start.
const HOOK = `#!/bin/bash
if [[ "\${1:-}" == --config ]]; then
  if [[ ! -e "$MARK" ]]; then touch "$MARK"; sleep 600; fi
  echo '{"configVersion":"v1","onStartup":1}'
else
  touch "$MARK.ran"
fi
`;

it('a hook that takes too long to print its config is loaded again, and runs', { timeout: 120_000 }, async () => {
  using folder = temporaryFolder();
  const mark = join(folder.path, 'mark');
  const connect = sandboxCluster(await sandboxForTest());
  const rig = startOperator({ connect, hooks: { 'slow.sh': HOOK }, env: { MARK: mark } });
  await until(() => expect(rig.lines.map(({ message }) => message)).toContain('hook is broken and does not run'));

  await until(() => expect(existsSync(`${mark}.ran`)).toBe(true));

  await until(async () => expect((await fetch(`${rig.url()}/readyz`)).status).toBe(200));
  await rig.stop();
});
