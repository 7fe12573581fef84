import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OUTPUT_LIMITS } from '../../src/runner/output-limits.ts';
import { readOutput } from '../../src/runner/read-output.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

function fileIn(): string {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  return join(folder.path, 'object-patch');
}

describe('an output of a hook', () => {
  it.each([
    ['small', 'a ä'],
    ['of more than one read', 'ä'.repeat(200_000)],
  ])('that is %s is read whole', async (_size, text) => {
    const path = fileIn();
    writeFileSync(path, text);

    expect(await readOutput(path, 'patch')).toBe(text);
  });

  it.each([
    ['small', 10],
    ['of more than one read', 100_000],
  ])(
    'of patches in YAML that is %s and no UTF-8 is refused, because letters of it would be others',
    async (_size, length) => {
      const path = fileIn();
      writeFileSync(path, Buffer.from(`data: ${'caf\xe9 '.repeat(length)}`, 'latin1'));

      await expect(readOutput(path, 'patch')).rejects.toThrow('KUBERNETES_PATCH_PATH is YAML that is not UTF-8');
    },
  );

  it('in JSON that is no UTF-8 is read, with U+FFFD in place of what is none', async () => {
    const path = fileIn();
    writeFileSync(path, Buffer.from('\n {"data": "caf\xe9"}', 'latin1'));

    expect(await readOutput(path, 'patch')).toBe('\n {"data": "caf\ufffd"}');
    expect(await readOutput(path, 'metrics')).toBe('\n {"data": "caf\ufffd"}');
  });

  it('that was deleted is empty', async () => {
    expect(await readOutput(fileIn(), 'patch')).toBe('');
  });

  it.each<[what: string, put: (path: string) => void]>([
    ['a pipe', (path) => execFileSync('mkfifo', [path])],
    ['a link to another file', (path) => symlinkSync('/etc/passwd', path)],
    ['a link to a device without end', (path) => symlinkSync('/dev/zero', path)],
    ['a link to nothing', (path) => symlinkSync('/nonexistent', path)],
    ['a folder', (path) => mkdirSync(path)],
    ['a socket', (path) => void createServer().unref().listen(path)],
  ])('in whose place the hook put %s is not read, nor waited for', async (_what, put) => {
    const path = fileIn();
    put(path);

    await expect(readOutput(path, 'patch')).rejects.toThrow(`${path} is not a regular file`);
  });

  it('that is a second name of the hook for its own file is read', async () => {
    const path = fileIn();
    writeFileSync(`${path}.own`, 'text');
    linkSync(`${path}.own`, path);

    expect(await readOutput(path, 'patch')).toBe('text');
  });

  it('may be as large as its limit, and is refused unread when it has a byte more', async () => {
    const path = fileIn();
    const limit = OUTPUT_LIMITS.metrics;
    writeFileSync(path, '');
    truncateSync(path, limit);
    const most = await readOutput(path, 'metrics');

    expect(most).toHaveLength(limit);
    for (const size of [limit + 1, 6e9]) {
      truncateSync(path, size);
      await expect(readOutput(path, 'metrics')).rejects.toThrow(`METRICS_PATH has ${size} bytes, at most ${limit} `);
    }
  });
});
