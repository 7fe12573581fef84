import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Hook } from '../../src/hook/binding.ts';
import { hookRig, never, temporaryFolder } from '../support/hook-rig.ts';
import { runScript } from '../support/script-rig.ts';
import { codeBlocks, readDocument, section } from './markdown.ts';

const webhooks = readDocument('docs/webhooks.md');
const conversion = readDocument('docs/conversion.md');

/** Runs a hook in bash once, and returns its response. */
async function answerOf(script: string, contexts: readonly unknown[]): Promise<unknown> {
  using folder = temporaryFolder();
  const path = join(folder.path, 'hook.sh');
  writeFileSync(path, script, { mode: 0o755 });
  const { admission, conversion: converted } = await runScript(path, { contexts });
  return JSON.parse(admission + converted);
}

/** Runs a hook in TypeScript once, and returns its response. */
async function answerOfModule(text: string, contexts: readonly unknown[]): Promise<unknown> {
  using folder = temporaryFolder();
  const path = join(folder.path, 'hook.ts');
  writeFileSync(path, text);
  await using rig = hookRig({ hooksDir: folder.path });
  const hook: Hook = { name: 'hook.ts', path, type: 'warm', bindings: [], settings: {} };
  await rig.runner.readConfig(hook, never);
  const { outputs } = await rig.execute({ hook, contexts: [Buffer.from(JSON.stringify(contexts))] }, never);
  const { conversion: converted } = { conversion: '', ...outputs };
  return JSON.parse(converted);
}

describe('the hook of docs/webhooks.md', () => {
  it('answers the context of the page as is said', async () => {
    const [script = ''] = codeBlocks(section(webhooks, 'Admission'), 'sh');
    const [context = ''] = codeBlocks(section(webhooks, 'What the hook gets'), 'json');
    const [printed = ''] = codeBlocks(section(webhooks, 'Try it'), 'console');

    const answer = await answerOf(script, JSON.parse(context));

    expect(printed).toContain(`admission response ${JSON.stringify(answer, undefined, 2)}\n`);
  });
});

describe.each([
  ['bash', answerOf, codeBlocks(conversion, 'sh')[0] ?? ''],
  ['TypeScript', answerOfModule, codeBlocks(section(conversion, 'Conversion in TypeScript'), 'ts')[0] ?? ''],
])('the hook of docs/conversion.md in %s', (_, answer, text) => {
  const object = (version: string, name: string, rest: object) => ({
    apiVersion: `stable.example.com/${version}`,
    kind: 'CronTab',
    metadata: { name },
    ...rest,
  });
  const alpha = [
    object('v1alpha1', 'a', { spec: { image: 'i', cron: '@daily' } }),
    object('v1alpha1', 'b', {}),
    object('v1alpha1', 'c', { spec: { image: 'i' }, status: { runs: 2 } }),
  ];
  const stable = [
    object('v1', 'a', { spec: { image: 'i', schedule: '@daily' } }),
    object('v1', 'b', {}),
    object('v1', 'c', { spec: { image: 'i' }, status: { runs: 2 } }),
  ];

  it.each([
    ['v1alpha1', 'v1', alpha, stable],
    ['v1', 'v1alpha1', stable, alpha],
  ])(
    'from %s to %s keeps what it does not rename, and takes an object without spec',
    async (from, to, given, wanted) => {
      const request = { uid: '1', desiredAPIVersion: `stable.example.com/${to}`, objects: given };
      const context = {
        binding: 'crontabs',
        type: 'Conversion',
        fromVersion: from,
        toVersion: to,
        review: { request },
      };

      expect(await answer(text, [context])).toEqual({ convertedObjects: wanted });
    },
  );
});
