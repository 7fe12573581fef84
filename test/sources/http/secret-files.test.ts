import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SecretFiles } from '../../../src/sources/http/secret-files.ts';
import { temporaryFolder } from '../../support/hook-rig.ts';

function folder(): string {
  const created = temporaryFolder();
  onTestFinished(() => created[Symbol.dispose]());
  return created.path;
}

async function read(path: string): Promise<string> {
  return Buffer.from(await new SecretFiles().read(path)).toString();
}

describe('the secret in a file', () => {
  it.each([
    ['s', 's'],
    ['s\n', 's'],
    ['s\r\n', 's'],
    ['s\n\n', 's\n'],
    ['\n', ''],
    ['', ''],
  ])('%j is %j', async (text, secret) => {
    const path = join(folder(), 'secret');
    writeFileSync(path, text);
    expect(await read(path)).toBe(secret);
  });

  it('is read through links, as those of a mounted Secret, and anew for each request', async () => {
    const at = folder();
    mkdirSync(join(at, '..data'));
    writeFileSync(join(at, '..data', 'secret'), 'one');
    symlinkSync(join('..data', 'secret'), join(at, 'secret'));
    const files = new SecretFiles();
    expect(Buffer.from(await files.read(join(at, 'secret'))).toString()).toBe('one');
    writeFileSync(join(at, '..data', 'secret'), 'two');
    expect(Buffer.from(await files.read(join(at, 'secret'))).toString()).toBe('two');
  });

  it('of 64 KiB is read, and one byte more is refused', async () => {
    const path = join(folder(), 'secret');
    writeFileSync(path, 'x'.repeat(65_536));
    expect(await read(path)).toHaveLength(65_536);
    writeFileSync(path, 'x'.repeat(65_537));
    await expect(read(path)).rejects.toThrow('has more than 65536 bytes');
  });

  it('is not read from a pipe, a folder, or what is not there', async () => {
    const at = folder();
    execFileSync('mkfifo', [join(at, 'pipe')]);
    await expect(read(join(at, 'pipe'))).rejects.toThrow('is not a file');
    await expect(read(at)).rejects.toThrow('is not a file');
    await expect(read(join(at, 'none'))).rejects.toThrow('ENOENT');
  });
});
