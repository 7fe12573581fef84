import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { lineOutput } from '../../src/lib/line-output.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

const MODULE = new URL('../../src/lib/line-output.ts', import.meta.url).href;

function startWriter(before: string) {
  const script = `${before}
    const { lineOutput } = await import('${MODULE}');
    const write = lineOutput(1);
    for (let i = 0; i < 4000; i += 1) write('x'.repeat(99) + '\\n');
    process.exit(0);`;
  return spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
}

it('writes to any descriptor', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'out');
  const fd = openSync(path, 'w');

  const write = lineOutput(fd);
  write('ä\n');
  write('b\n');
  closeSync(fd);

  expect(readFileSync(path, 'utf8')).toBe('ä\nb\n');
});

it('waits for a slow reader of a pipe that does not block', async () => {
  const writer = startWriter("new (await import('node:net')).Socket({ fd: 1 });");
  // The pipe is full by far before this reads.
  await new Promise((resolve) => writer.stdout.once('readable', resolve));

  expect(await text(writer.stdout)).toHaveLength(400_000);
});

it('drops what nobody reads', async () => {
  const writer = startWriter('');
  writer.stdout.destroy();

  const exitCode = await new Promise((resolve) => writer.once('exit', resolve));

  expect(exitCode).toBe(0);
});

it('drops what cannot be written', () => {
  expect(() => lineOutput(-1)('x\n')).not.toThrow();
});
