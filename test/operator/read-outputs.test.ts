import { afterAll, describe, expect, it } from 'vitest';
import { createOutputReader } from '../../src/operator/outputs/read-outputs.ts';
import { parseOperations } from '../../src/effects/parse-operations.ts';
import { parseResult } from '../../src/effects/read-result.ts';
import { builtThread } from '../support/built-thread.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const thread = builtThread('operator/outputs/output-thread.ts', folder.path);
const reader = createOutputReader({ thread });
const NEVER = new AbortController().signal;

const operation = (index: number) => ({
  operation: 'CreateOrUpdate',
  object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `c${index}` }, data: { text: 'a "b" ü\n' } },
});

const yaml = (index: number): string =>
  `---\noperation: Create\nobject:\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: c${index}}\n  data:\n    a: "1"\n`;

function documents(count: number, document: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => document(index)).join('\n');
}

/** The number of turns of the event loop until `work` has settled. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const end = work.then(
    () => (isDone = true),
    () => (isDone = true),
  );
  while (!isDone) {
    await new Promise((resolve) => {
      setTimeout(resolve, 1);
    });
    turns += 1;
  }
  await end;
  return turns;
}

describe('what a hook wrote', () => {
  it.each([
    ['of 1 KB', documents(5, (index) => JSON.stringify(operation(index)))],
    ['of 1.2 MB of JSON', documents(8000, (index) => JSON.stringify(operation(index)))],
    ['of 38 KB of YAML', documents(350, yaml)],
  ])('is the same %s, read here or in a thread', async (_what, text) => {
    const here = parseOperations(text, () => undefined);

    expect(await reader.patch(text, NEVER)).toEqual(here);
  });

  it.each([
    ['YAML', documents(1000, yaml)],
    ['JSON that is none, which may be YAML', `{${'"a": 1, '.repeat(20_000)}`],
    [
      'YAML in JSON',
      documents(20, (index) => JSON.stringify({ operation: 'Create', object: documents(150, yaml) + yaml(index) })),
    ],
    [
      'jq expressions',
      documents(20, () =>
        JSON.stringify({ operation: 'JQPatch', kind: 'Pod', name: 'x', jqFilter: `${'. | '.repeat(5000)}.` }),
      ),
    ],
  ])('does not hold up the event loop: %s', async (_what, text) => {
    expect(await turnsDuring(reader.patch(text, NEVER))).toBeGreaterThan(20);
  });

  it('does not hold up the event loop: 2 MB of metrics', async () => {
    const text = documents(30_000, (index) => JSON.stringify({ name: 'x', set: index, labels: { i: `${index}` } }));

    expect(await turnsDuring(reader.metrics(text, NEVER))).toBeGreaterThan(20);
    expect((await reader.metrics(text, NEVER)).operations).toHaveLength(30_000);
  });

  it.each([
    [
      'JSON',
      (index: number) => `${JSON.stringify({ index, outcome: 'later' })},`,
      '{"contexts": [',
      '{"index": 9999}]}',
    ],
    ['YAML', (index: number) => `- {index: ${index}, outcome: later}`, 'contexts:\n', ''],
  ])('is the same of 10,000 contexts in %s, and does not hold up the event loop', async (_what, entry, head, tail) => {
    const text = `${head}${documents(9000, entry)}${tail}`;
    const scope = { contexts: Array.from({ length: 10_000 }, () => ({ isReconcile: false })) };

    const reading = reader.result(text, scope, NEVER);

    expect(await turnsDuring(reading)).toBeGreaterThan(20);
    expect(await reading).toEqual(parseResult(text, scope));
  });

  it('has the problems of a result told from a thread', async () => {
    const text = `outcome: done\nchildren: [${'x, '.repeat(20_000)}x]`;

    await expect(reader.result(text, { contexts: [] }, NEVER)).rejects.toThrow(
      /^RESULT_PATH has \d+ problem\(s\), nothing of this run is applied:\n {2}document 1, line 1: children: /,
    );
  });

  it('has its problems told from a thread as from here', async () => {
    const text = documents(350, yaml) + '---\noperation: Remove\n';

    await expect(reader.patch(text, NEVER)).rejects.toThrow(
      /^KUBERNETES_PATCH_PATH has 1 problem\(s\), nothing of this run is applied:\n {2}document 351, line \d+: operation: received "Remove"/,
    );
  });

  it('is given up after its time', async () => {
    const impatient = createOutputReader({ thread, timeLimitMs: 1 });

    await expect(impatient.patch(documents(350, yaml), NEVER)).rejects.toThrow(
      /^KUBERNETES_PATCH_PATH cannot be read within 0\.001 s; write less in one run, and JSON rather than YAML$/,
    );
  });

  it('may have operations of 4 MiB and no larger ones', async () => {
    const text = JSON.stringify({
      ...operation(1),
      object: { ...operation(1).object, data: 'x'.repeat(4 * 1024 ** 2) },
    });

    await expect(reader.patch(text, NEVER)).rejects.toThrow(
      /^operation 1 has 419\d{4} characters, at most 4194304 are read/,
    );
  });

  it('has 100 of its likely mistakes told, and the number of the others', async () => {
    const text = documents(150, (index) => JSON.stringify({ ...operation(index), colour: 'red' }));

    const { warnings } = await reader.patch(text, NEVER);

    expect(warnings).toHaveLength(101);
    expect(warnings.at(-1)).toBe('and 50 more');
  });

  it('is given up at the end of its signal, read or in its turn, and others go on', async () => {
    const own = createOutputReader({ thread });
    const text = documents(350, yaml);
    const end = new AbortController();
    const given = [1, 2, 3, 4].map(async () => own.patch(text, end.signal));
    const other = own.patch(text, NEVER);

    end.abort(new Error('the end'));

    expect((await Promise.allSettled(given)).map((one) => one.status)).toEqual(Array(4).fill('rejected'));
    expect((await other).operations).toHaveLength(350);
  });
});
