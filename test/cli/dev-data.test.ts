import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { persistedState, stateWriter, writeRegularly } from '../../src/cli/dev/data.ts';

function file(...names: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'hooklet-data-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, ...names);
}

describe('the file of --data', () => {
  it('is written when something has changed, and only then', async () => {
    const path = file('data.json');
    const sandbox = await sandboxForTest();
    const write = stateWriter(sandbox, path);

    write();
    const first = statSync(path).ino;
    write();
    expect(statSync(path).ino).toBe(first);
    await sandbox.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } });
    write();

    expect(persistedState(path).state?.objects.map(({ object }) => Object(object['metadata']).name)).toContain('a');
  });

  it('is looked at every few seconds until the end', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const write = vi.fn<() => void>();
    const end = new AbortController();

    const writing = writeRegularly(write, end.signal);
    await vi.advanceTimersByTimeAsync(9000);
    end.abort();
    await writing;

    expect(write).toHaveBeenCalledTimes(4);
  });

  it('need not be there, nor named', () => {
    const path = file('none.json');

    expect([persistedState(path), persistedState(undefined), existsSync(path)]).toEqual([{}, {}, false]);
  });

  it('that cannot be read or written is an error that names it', async () => {
    const path = file('data.json');
    writeFileSync(path, '{');
    const write = stateWriter(await sandboxForTest(), file('missing', 'data.json'));

    expect(() => persistedState(path)).toThrow(
      /^--data: .*data\.json does not hold the state of a sandbox: .*; move the file/,
    );
    expect(write).toThrow(/^--data: .*data\.json cannot be written: ENOENT/);
  });
});
