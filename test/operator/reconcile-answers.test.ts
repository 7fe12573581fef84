import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@hooklet/sandbox';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { recordingHook, until } from '../support/operator-rig.ts';
import { CHILDREN, childrenIn, sentTo, siteOf, sitesConfig, startSites } from '../support/reconcile-rig.ts';

/** Writes the text `answer` of its parent to the result file, and ends with the code `exit`. */
const HOOK = recordingHook(
  sitesConfig({ concurrency: 8 }),
  `"$NODE" -e '
    const { readFileSync, writeFileSync } = require("node:fs");
    const [{ object }] = JSON.parse(readFileSync(process.env.BINDING_CONTEXT_PATH, "utf8"));
    const { answer = "", exit = "0" } = object.data ?? {};
    writeFileSync(process.env.RESULT_PATH, answer === "9 MB" ? " ".repeat(9e6) : answer);
    process.exitCode = Number(exit);
  '`,
);

function secret(metadata: JsonObject): JsonObject {
  return { apiVersion: 'v1', kind: 'Secret', metadata };
}

function children(...all: readonly unknown[]): string {
  return JSON.stringify({ children: all });
}

/** What a hook may say that must not be carried out, and what is logged of it. */
const BAD: readonly (readonly [what: string, data: Readonly<Record<string, string>>, told: RegExp])[] = [
  ['fails', { answer: children(), exit: '1' }, /hook site\.sh failed: exit code 1/],
  ['is permanent', { answer: children(), exit: '78' }, /exit code 78/],
  ['half an answer', { answer: '{"children": [' }, /cannot be read as JSON/],
  ['nine megabytes', { answer: '9 MB' }, /more than 8 MiB|8388608/],
  ['unknown field', { answer: '{"children": [], "childs": []}' }, /childs/],
  ['a list', { answer: '[]' }, /expected/],
  ['status no object', { answer: '{"children": [], "status": "fine"}' }, /status.*"fine"/],
  ['null children', { answer: '{"children": null}' }, /children.*null/],
  ['text child', { answer: children('web') }, /children\[0\].*"web"/],
  ['unknown context', { answer: '{"contexts": [{"index": 7, "children": []}]}' }, /7/],
  ['no name', { answer: children(secret({})) }, /children\[0\].*metadata\.name is missing/],
  ['not owned', { answer: children({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } }) }, /Pod.*owns/],
  ['elsewhere', { answer: children(secret({ name: 'a', namespace: 'kube-system' })) }, /otherNamespaces: true/],
  ['twice', { answer: children(secret({ name: 'a' }), secret({ name: 'a' })) }, /same object as children\[0\]/],
  ['no such after', { answer: children({ object: secret({ name: 'a' }), after: ['b'] }) }, /after.*\bb\b/],
];
const KEPT = BAD.map((_, at) => `kept-${at}=`).toSorted();

describe('an answer that is wrong, or of a run that failed', () => {
  it('changes and deletes nothing, says what is wrong with it, and holds up neither others nor the next answer', async () => {
    const sandbox = await sandboxForTest();
    const put = async (answer: (at: number) => Readonly<Record<string, string>>): Promise<void> => {
      for (const at of BAD.keys()) await sandbox.apply(siteOf(`p${at}`, answer(at)));
    };
    await put((at) => ({ answer: children(secret({ name: `kept-${at}` })) }));
    await using operator = startSites(sandbox, HOOK, { env: { NODE: process.execPath } });
    await until(async () => expect(await childrenIn(sandbox)).toEqual(KEPT));
    sandbox.clearRequests();

    await put((at) => BAD[at]?.[1] ?? {});

    const problems = () =>
      BAD.flatMap(([what, , told], at) => {
        const about = operator.lines.filter(({ fields }) => String(fields['event']).includes(`default/p${at} `));
        const texts = about.map(({ fields }) => (fields.err instanceof Error ? fields.err.message : ''));
        return texts.some((text) => told.test(text)) ? [] : [`${what}: ${texts.filter((text) => text !== '').join()}`];
      });
    await until(() => expect(problems()).toEqual([]));
    expect(await childrenIn(sandbox)).toEqual(KEPT);
    expect(sentTo(sandbox).filter((line) => line.includes(CHILDREN))).toEqual([]);

    await put(() => ({ answer: children() }));
    await until(async () => expect(await childrenIn(sandbox)).toEqual([]));
  });

  it('deletes nothing while the hook says 75, makes what it names, and deletes after the first success', async () => {
    const sandbox = await sandboxForTest();
    const both = children(secret({ name: 'old' }), secret({ name: 'other' }));
    await sandbox.apply(siteOf('p', { answer: both }));
    await using operator = startSites(sandbox, HOOK, { env: { NODE: process.execPath } });
    await until(async () => expect(await childrenIn(sandbox)).toEqual(['old=', 'other=']));

    await sandbox.apply(siteOf('p', { answer: children(secret({ name: 'new' })), exit: '75' }));
    await until(async () => expect(await childrenIn(sandbox)).toContain('new='));
    await until(() => expect(operator.lines.map(({ message }) => message)).toContain('hook is to be run again later'));
    expect(await childrenIn(sandbox)).toEqual(['new=', 'old=', 'other=']);

    await sandbox.apply(siteOf('p', { answer: children(secret({ name: 'new' })) }));
    await until(async () => expect(await childrenIn(sandbox)).toEqual(['new=']));
  });
});
