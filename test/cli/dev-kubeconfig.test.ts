import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { writeKubeconfig } from '../../src/cli/dev/kubeconfig.ts';
import { UsageError } from '../../src/errors.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

let folder: ReturnType<typeof temporaryFolder>;
let file: string;

beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder.path, 'config');
});

afterEach(() => folder[Symbol.dispose]());

const configOf = (server: string, name = 'sandbox', more: readonly object[] = []): string =>
  stringify({ clusters: [{ name, cluster: { server } }, ...more], users: [{ name: 'admin', user: { token: 't' } }] });

// Nothing listens on these ports.
const FRESH = configOf('http://127.0.0.1:1');
const ENDED = configOf('http://127.0.0.1:2');

describe('writeKubeconfig', () => {
  it('writes it for this user alone, and removes it', async () => {
    const written = await writeKubeconfig(file, FRESH);

    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([FRESH, 0o600]);
    written[Symbol.dispose]();
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it('replaces that of a sandbox that has ended, whatever its mode was', async () => {
    writeFileSync(file, ENDED, { mode: 0o644 });

    using _written = await writeKubeconfig(file, FRESH);

    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([FRESH, 0o600]);
  });

  it.each([
    ['of another cluster', configOf('https://example.com', 'production')],
    ['of a cluster elsewhere with the same name', configOf('https://example.com')],
    ['with a second cluster', configOf('http://127.0.0.1:2', 'sandbox', [{ name: 'production', cluster: {} }])],
    ['that is empty', ''],
    ['that is no YAML', '{['],
    ['of any other kind', 'hello'],
    ['that is large', `# ${'x'.repeat(70_000)}\n${ENDED}`],
  ])('refuses to write over a file %s', async (_what, text) => {
    writeFileSync(file, text);

    await expect(writeKubeconfig(file, FRESH)).rejects.toThrow(UsageError);

    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(readdirSync(folder.path)).toEqual(['config']);
  });

  it('refuses to write over what is no file, without waiting for it', async () => {
    execFileSync('mkfifo', [file]);
    mkdirSync(join(folder.path, 'folder'));

    await expect(writeKubeconfig(file, FRESH)).rejects.toThrow(/was not written by hooklet dev/);
    await expect(writeKubeconfig(join(folder.path, 'folder'), FRESH)).rejects.toThrow(UsageError);
    await expect(writeKubeconfig(join(folder.path, 'no', 'config'), FRESH)).rejects.toThrow(
      /cannot be written: ENOENT/,
    );
  });

  it('refuses to take the file of a sandbox that serves', async () => {
    const sandbox = await sandboxForTest();
    writeFileSync(file, sandbox.kubeconfig());

    await expect(writeKubeconfig(file, FRESH)).rejects.toThrow(`another hooklet dev, which serves ${sandbox.url}`);
  });

  it('leaves in the end what another one has put in its place, and what a link leads to', async () => {
    const target = join(folder.path, 'target');
    writeFileSync(target, ENDED);
    symlinkSync(target, file);
    const written = await writeKubeconfig(file, FRESH);
    expect(readFileSync(target, 'utf8')).toBe(ENDED);
    writeFileSync(file, ENDED);

    written[Symbol.dispose]();

    expect(readFileSync(file, 'utf8')).toBe(ENDED);
  });
});
