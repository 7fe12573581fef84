import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const run = promisify(execFile);
const OLD_NODE = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } })`;

it('an older Node is told what is needed', async () => {
  const ended = run(process.execPath, ['--import', `data:text/javascript,${OLD_NODE}`, main, 'version']);

  await expect(ended).rejects.toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'hooklet: needs Node 24 or later, this is 20.1.0; put a newer one first on the PATH\n',
  });
});
