import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runOnce } from '../../src/cli/run/run.ts';
import { kubernetesBinding, onStartupBinding } from '../support/bindings.ts';
import { hookRig, never } from '../support/hook-rig.ts';

let rig: ReturnType<typeof hookRig>;
beforeAll(() => {
  rig = hookRig();
});
afterAll(async () => rig[Symbol.asyncDispose]());

const event = (name: string) => ({ binding: 'pods', type: 'Event', object: { metadata: { namespace: 'a', name } } });

interface Once {
  readonly printed: readonly string[];
  readonly error?: unknown;
}

async function once(script: string, contexts: readonly unknown[] = [{ binding: 'onStartup' }]): Promise<Once> {
  const path = join(rig.folder, 'hook.sh');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  const bindings = [onStartupBinding, kubernetesBinding('pods')];
  const written: string[] = [];
  const none = () => ({ operations: [], warnings: [] });
  const running = runOnce({
    executor: rig.runner,
    hook: { name: 'hook.sh', path, type: 'process', bindings, settings: {} },
    context: JSON.stringify(contexts),
    describeOperations: none,
    describeMetrics: none,
    onOutput: () => {},
    write: (text) => written.push(text),
    signal: never,
  });
  const failure = await running.then(
    () => ({}),
    (error: unknown) => ({ error }),
  );
  const printed = written.join('').replaceAll(/\d+ ms/g, 'N ms');
  return { printed: printed.split('\n').slice(0, -1), ...failure };
}

const say = (result: unknown): string => `cat > "$RESULT_PATH" <<'END'\n${JSON.stringify(result)}\nEND`;
const ASKED = 'and asked for 0 patch operation(s) and 0 metric(s)';

describe('runOnce', () => {
  it('prints every part of a result', async () => {
    const part = {
      outcome: 'failed',
      retryAfter: '30s',
      reason: 'Odd',
      message: 'text',
      conditions: [{ type: 'Ready', status: 'False', reason: 'NoQuorum', message: 'waiting' }],
      status: { a: 1 },
      events: [
        { type: 'Warning', reason: 'Odd', object: { apiVersion: 'v1', kind: 'Pod', namespace: 'x', name: 'y' } },
      ],
    };
    const child = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cm' } };
    const reconciled = { children: [child, { object: {}, after: ['cm', 'Pod/x'] }], finalized: true };
    const said = {
      retryAfter: '10m',
      output: [1],
      contexts: [
        { index: 0, ...part },
        { index: 1, ...reconciled },
      ],
    };

    const { printed, error } = await once(say(said), [event('a'), { ...event('b'), type: 'Reconcile' }]);

    expect(error).toBeUndefined();
    expect(printed).toEqual([
      'result outcome done, again after 10m',
      'result context 0: outcome failed, again after 30s, Odd: text',
      'result context 0: condition Ready=False NoQuorum: waiting',
      'result context 0: status {"a":1}',
      'result context 0: event Warning about Pod/x/y Odd',
      'result context 1: children 2',
      'result context 1: child v1/ConfigMap/cm',
      'result context 1: child  after cm, Pod/x',
      'result context 1: finalized',
      'result output [1]',
      `hook hook.sh succeeded in N ms ${ASKED}`,
    ]);
  });

  it.each(['exit 75', say({ outcome: 'later' })])(
    'takes a run that is to come later for none that failed: %s',
    async (script) => {
      const { printed, error } = await once(script);

      expect(error).toBeUndefined();
      expect(printed.at(-1)).toBe(`hook hook.sh is to be run again later, ended in N ms ${ASKED}`);
    },
  );

  it.each([
    ['exit 78', 'hook hook.sh failed: exit code 78'],
    [say({ outcome: 'permanent', reason: 'NoWork' }), 'hook hook.sh failed: it says permanent in RESULT_PATH, NoWork'],
    [`${say({ outcome: 'permanent' })}\nexit 3`, 'hook hook.sh failed: exit code 3'],
  ])('says of a run that failed for good that it would not be run again: %s', async (script, message) => {
    const { printed, error } = await once(script);

    expect(error).toMatchObject({ message });
    expect(printed.at(-1)).toBe('hook hook.sh would not be run again until its input changes');
  });

  it('believes nothing that a run that was killed says of its end', async () => {
    const { printed, error } = await once(`${say({ outcome: 'permanent' })}\nkill -9 $$`);

    expect(error).toMatchObject({ message: expect.stringContaining('killed by SIGKILL') });
    expect(printed).toEqual(['result outcome permanent']);
  });

  it('fails with the problems of a result, or warns of them when the run failed by itself', async () => {
    const { error } = await once(say({ outcomes: 'later' }));
    const failed = await once(`${say({ outcomes: 'later' })}\nexit 3`);

    expect(error).toMatchObject({ message: expect.stringContaining('outcomes: unknown field, did you mean outcome?') });
    expect(failed.error).toMatchObject({ message: 'hook hook.sh failed: exit code 3' });
    expect(failed.printed[0]).toMatch(/^warning: RESULT_PATH has 1 problem/);
  });

  it('knows of which objects the contexts are', async () => {
    const condition = say({ conditions: [{ type: 'Ready', status: 'True', reason: 'There' }] });
    const filtered = { binding: 'pods', type: 'Event', filterResult: 1 };

    expect((await once(condition, [event('a'), event('a')])).error).toBeUndefined();
    expect((await once(condition, [event('a'), event('b')])).error).toMatchObject({
      message: expect.stringContaining('this run is about 2 objects, give it for each in contexts[]'),
    });
    expect((await once(condition, [filtered, filtered])).error).toBeDefined();
    expect((await once(condition)).printed[1]).toMatch(/^warning: .*no context of this run is about one object$/);
  });

  it('gives each run an id of its own', async () => {
    const script = `printf '{"output": "%s"}' "$RUN_ID" > "$RESULT_PATH"`;

    const [one, other] = [await once(script), await once(script)];

    expect(one.printed[0]).toMatch(/^result output "[-0-9a-f]{36}"$/);
    expect(other.printed[0]).not.toBe(one.printed[0]);
  });
});
