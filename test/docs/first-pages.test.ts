import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/hook/config.ts';
import { checkFilter } from '../../src/units/filter-check.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { runScript } from '../support/script-rig.ts';
import { codeBlocks, readDocument } from './markdown.ts';

it.each(['how-do-i.md', 'coming-from/cronjob.md'])('docs/%s has valid configs alone', (page) => {
  const blocks = codeBlocks(readDocument(`docs/${page}`), 'yaml');
  const configs = blocks.filter((block) => block.startsWith('configVersion'));

  expect(configs).not.toEqual([]);
  for (const config of configs) {
    const read = parseConfig(config, checkFilter);
    expect(read.type === 'valid' ? [] : read.issues, config).toEqual([]);
  }
});

it.each(['kopf', 'metacontroller'])('docs/coming-from/%s.md has a hook that prints a valid config', async (page) => {
  const [script = ''] = codeBlocks(readDocument(`docs/coming-from/${page}.md`), 'sh');
  const { stdout } = await execa('sh', ['-c', script, 'hook', '--config']);

  expect(parseConfig(stdout, checkFilter)).toMatchObject({ type: 'valid' });
});

it('docs/how-do-i.md has 23 answers', () => {
  expect(readDocument('docs/how-do-i.md').match(/^## … /gm)).toHaveLength(23);
});

describe('docs/coming-from', () => {
  const [kopf = ''] = codeBlocks(readDocument('docs/coming-from/kopf.md'), 'sh');
  const [metacontroller = ''] = codeBlocks(readDocument('docs/coming-from/metacontroller.md'), 'sh');

  it('the hook for kopf says later while the database does not answer, and nothing when it does', async () => {
    expect(await resultOf(kopf, { pg_isready: '#!/bin/sh\nexit 0\n' })).toBe('');
    expect(JSON.parse(await resultOf(kopf, { pg_isready: '#!/bin/sh\nexit 2\n' }))).toEqual({
      outcome: 'later',
      retryAfter: '30s',
      message: 'not ready yet',
    });
  });

  it('the hook for Metacontroller answers with the same child', async () => {
    expect(JSON.parse(await resultOf(metacontroller, {}))).toEqual({
      retryAfter: '60s',
      children: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'shop' } }],
    });
  });
});

/** What a hook of a page writes as its result for an object `shop`, with these programs first on its PATH. */
async function resultOf(text: string, programs: Readonly<Record<string, string>>): Promise<string> {
  using folder = temporaryFolder();
  const hook = join(folder.path, 'hook.sh');
  writeFileSync(hook, text, { mode: 0o755 });
  const contexts = [{ binding: 'databases', object: { metadata: { name: 'shop' } } }];
  return (await runScript(hook, { contexts, programs })).result;
}
