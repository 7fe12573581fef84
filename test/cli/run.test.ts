import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readInput, runOnce } from '../../src/cli/run/run.ts';
import { HookFailedError, UsageError } from '../../src/errors.ts';
import { fixtureHook, hookRig, never, temporaryFolder } from '../support/hook-rig.ts';

function describeAll(text: string) {
  return { operations: text === '' ? [] : [text.trim()], warnings: text === '' ? [] : ['odd'] };
}

async function once(name: string, context: string): Promise<string> {
  await using rig = hookRig();
  const written: string[] = [];
  const write = (text: string): void => void written.push(text);
  const hook = { ...fixtureHook(name), bindings: [{ type: 'onStartup', order: 1 } as const] };
  const parsers = { describeOperations: describeAll, describeMetrics: describeAll };
  await runOnce({ executor: rig.runner, onOutput: () => {}, hook, context, ...parsers, write, signal: never });
  return written.join('');
}

describe('runOnce', () => {
  it('prints what the hook would have applied', async () => {
    const printed = await once('run-echo.sh', '[{"binding":"onStartup"}]');

    expect(printed.replace(/\d+ ms/, 'N ms')).toBe(
      [
        'patch [{"binding":"onStartup"}]',
        'warning: odd',
        'metric metrics',
        'warning: odd',
        'admission response validating',
        'conversion response conversion',
        'hook run-echo.sh succeeded in N ms and asked for 1 patch operation(s) and 1 metric(s)',
        '',
      ].join('\n'),
    );
  });

  it('rejects with the failure of the hook', async () => {
    await expect(once('run-fails.sh', '[]')).rejects.toThrow(HookFailedError);
  });

  it.each([
    ['{"binding":"onStartup"}', /must be a JSON array of binding contexts.*but is \{"binding":"onStartup"\}/],
    ['[1]', /must be a JSON array of binding contexts.*but is \[1\]/],
    ['[', /--context is not JSON: /],
    [
      '[{"binding":"onStartup"},{"binding":"pods"}]',
      /is not for hook run-echo\.sh: it has no binding "pods", but onStartup/,
    ],
  ])('refuses the context %s', async (context, message) => {
    await expect(once('run-echo.sh', context)).rejects.toThrow(message);
    await expect(once('run-echo.sh', context)).rejects.toThrow(UsageError);
  });
});

describe('readInput', () => {
  async function* input(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('é').subarray(0, 1);
    yield Buffer.from('é').subarray(1);
  }

  it('reads a file', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'context.json');
    writeFileSync(path, '[]');

    expect(await readInput('--context', path, input())).toBe('[]');
  });

  it('reads standard input for -', async () => {
    expect(await readInput('--context', '-', input())).toBe('é');
  });

  it('says which file cannot be read', async () => {
    await expect(readInput('--context', '/no/such/file', input())).rejects.toThrow(
      /^--context \/no\/such\/file cannot be read: ENOENT/,
    );
  });

  it('reads no more than 64 MiB, however much comes', async () => {
    let given = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (; given < 1000; given += 1) yield Buffer.alloc(4 * 1024 * 1024, 'x');
    }

    await expect(readInput('--object', '-', endless())).rejects.toThrow(
      /^--object - has more than 67108864 characters$/,
    );
    expect(given).toBeLessThan(20);
  });
});
