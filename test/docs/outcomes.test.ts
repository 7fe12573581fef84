import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseResult } from '../../src/effects/read-result.ts';
import { HookOutputError } from '../../src/errors.ts';
import { parseConfig } from '../../src/hook/config.ts';
import { outcomeOfExitCode } from '../../src/runner/exit-code.ts';
import { ContextResult, RunResult } from '../../src/sdk/result.ts';
import { checkFilter } from '../../src/units/filter-check.ts';
import { hookRig, never, temporaryFolder } from '../support/hook-rig.ts';
import { readScriptConfig, runScript } from '../support/script-rig.ts';
import { codeBlocks, codes, readDocument, section, table, tables } from './markdown.ts';

const outcomes = readDocument('docs/outcomes.md');
const resultPath = section(outcomes, 'RESULT_PATH');
const SCOPE = { contexts: [{ object: 'web', isReconcile: true }] };

function configOf(text: string) {
  const config = parseConfig(text, checkFilter);
  if (config.type === 'invalid') throw new Error(JSON.stringify(config.issues));
  return config;
}

describe('docs/outcomes.md', () => {
  it('the exit codes are those of the code', () => {
    const documented = table(section(outcomes, 'How a run ends')).map(([outcome, code = '']) => [
      codes(outcome)[0],
      code,
    ]);

    const known = [0, 75, 1, 78].map((code) => [outcomeOfExitCode(code), code === 1 ? 'any other' : String(code)]);
    expect(documented).toEqual(known);
  });

  it('the example of settings.outcome is valid', () => {
    const [example = ''] = codeBlocks(section(outcomes, 'Exit codes'), 'yaml');

    expect(configOf(example).settings).toEqual({ outcome: { success: [0, 3], later: [11], permanent: [10, 12] } });
  });

  it('the table of a result has every field', () => {
    const documented = table(resultPath).map(([field]) => codes(field)[0] ?? '');

    let message = '';
    try {
      parseResult('{"zzzzzzzzzz": 1}', SCOPE);
    } catch (error) {
      if (error instanceof HookOutputError) ({ message } = error);
    }
    const known = /unknown field, expected one of (.*)/.exec(message)?.[1]?.split(', ') ?? [];
    expect(documented.toSorted()).toEqual(known.toSorted());
  });

  it('the table of result in TypeScript has every method', () => {
    const rows = tables(resultPath)[2] ?? [];
    const documented = rows.flatMap(([calls]) => codes(calls)).map((call) => /^\w+/.exec(call)?.[0] ?? '');

    const own = [ContextResult, RunResult].flatMap(({ prototype }) => Object.getOwnPropertyNames(prototype));
    const internal = ['constructor', 'end', 'set', 'fields', 'textWith'];
    expect(documented.toSorted()).toEqual(own.filter((name) => !internal.includes(name)).toSorted());
  });

  it('the hook in sh ends as is said', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'hook.sh');
    writeFileSync(path, codeBlocks(resultPath, 'sh')[0] ?? '');
    chmodSync(path, 0o755);
    const contexts = [{ binding: 'onStartup' }];
    const run = async (server: string, nc: string) =>
      runScript(path, { contexts, env: { SERVER: server }, programs: { nc: `#!/bin/sh\n${nc}\n` } });

    const [permanent, later, done] = [
      await run('', 'exit 1'),
      await run('etcd', 'exit 1'),
      await run('etcd', 'exit 0'),
    ];

    expect(configOf(await readScriptConfig(path)).bindings).toHaveLength(1);
    expect(permanent).toMatchObject({ outcome: 'permanent' });
    expect(parseResult(permanent.result, SCOPE).result).toMatchObject({ reason: 'NoServer' });
    expect(later).toMatchObject({ outcome: 'later' });
    expect(parseResult(later.result, SCOPE).result).toMatchObject({
      retryAfterMs: 10_000,
      message: 'waiting for etcd',
    });
    expect(done).toMatchObject({ outcome: 'done', result: '' });
  });

  it('the hook in TypeScript ends as is said', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'hook.ts');
    writeFileSync(path, codeBlocks(resultPath, 'ts')[0] ?? '');
    await using rig = hookRig({ hooksDir: folder.path });
    const file = { name: 'hook.ts', path, type: 'warm' } as const;
    const { bindings } = configOf((await rig.runner.readConfig(file, never)).stdout);
    const resultOf = async (...names: readonly string[]): Promise<unknown> => {
      const events = names.map((name) => ({ binding: 'clusters', type: 'Event', object: { metadata: { name } } }));
      const hook = { ...file, bindings, settings: {} };
      const { outputs } = await rig.run({ hook, contexts: [Buffer.from(JSON.stringify(events))] }, never);
      return JSON.parse(outputs.result);
    };

    expect(await resultOf('waiting', 'web')).toMatchObject({
      contexts: [
        { index: 0, outcome: 'later', retryAfter: '30s' },
        { index: 1, conditions: [{ type: 'Ready', status: 'True' }] },
      ],
    });
    expect(await resultOf('x'.repeat(41))).toMatchObject({ outcome: 'permanent', reason: 'NameTooLong' });
  });
});
