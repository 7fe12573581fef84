import { describe, expect, it } from 'vitest';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { isPassed, runStories } from '../../src/scenario/story/run-stories.ts';
import { runStory } from '../../src/scenario/story/run-story.ts';
import { timelineLines } from '../../src/scenario/story/timeline-text.ts';
import { never } from '../support/hook-rig.ts';
import { logged, run, type Script, scriptedWorlds, write } from '../support/scripted-world.ts';

const TICK = { type: 'tick', ms: 1000 } as const;
const nowMs = (): number => 0;

function scenario(fields: Partial<Scenario> = {}): Scenario {
  const given = { hooksDir: '/hooks', objects: [], startMs: 0, env: {} };
  const steps = [{ line: 5, actions: [TICK] }];
  return { file: 'a.yaml', line: 1, name: 'a', given, steps, never: [], perturb: { kinds: [] }, ...fields };
}

async function tell(script: Script, fields: Partial<Scenario> = {}) {
  const worlds = scriptedWorlds(script);
  const { failures } = await runStory(scenario(fields), { worlds, signal: never, nowMs });
  expect(worlds.count()).toBe(0);
  return failures.map(({ line, where, path, message }) => `${line} ${where} ${path}: ${message}`);
}

describe('a story', () => {
  it('passes when each step is as expected, and ends at the first that is not', async () => {
    const script: Script = { start: run('a.sh'), on: () => run('b.sh') };
    const steps = [
      { line: 5, actions: [TICK, TICK], expect: { runs: 2 } },
      { line: 7, name: 'later', actions: [TICK], expect: { runs: 0 } },
      { line: 9, actions: [TICK], expect: { runs: 7 } },
    ];

    expect(await tell(script, { expect: { runs: [{ hook: 'a.sh' }] }, steps: steps.slice(0, 1) })).toEqual([]);
    expect(await tell(script, { steps })).toEqual([
      '7 step 2 "later" expect.runs: expected 0, found 1\n  b.sh []: succeeded (exit 0)',
    ]);
  });

  it('goes on after a step that fails when all differences are wanted', async () => {
    const steps = [1, 2].map((line) => ({ line, actions: [TICK], expect: { runs: 3 } }));
    const options = { worlds: scriptedWorlds({}), signal: never, isWhole: true, nowMs };

    expect((await runStory(scenario({ steps }), options)).failures).toHaveLength(2);
  });

  it('fails when its world does not open or does not come to rest, and says why', async () => {
    expect(await tell({ broken: 'hook a.sh has 1 problem(s)' })).toEqual(['1 start : hook a.sh has 1 problem(s)']);
  });

  it('without any expectation fails when a run is given up, or a hook still fails at its end', async () => {
    const failed = { outcome: 'failed', exitCode: 1, message: 'exit code 1' } as const;

    expect(await tell({ on: () => run('a.sh', { ...failed, next: 'dead' }) })).toEqual([
      '1 end : a run was given up: a.sh []: failed (exit 1)\n  exit code 1',
    ]);
    expect(await tell({ on: () => run('a.sh', { ...failed, next: 'retry' }) })).toEqual([
      '1 end : a hook still fails at the end: a.sh []: failed (exit 1)\n  exit code 1',
    ]);
    expect(await tell({ on: () => [...run('a.sh', { ...failed, next: 'retry' }), ...run('a.sh')] })).toEqual([]);
    expect(await tell({ on: () => run('a.sh', { ...failed, next: 'drop' }) })).toEqual([]);
  });

  it('takes no offense at a failure that is expected', async () => {
    const script: Script = { on: () => run('a.sh', { outcome: 'failed', exitCode: 1, next: 'dead' }) };
    const expected = { runs: [{ hook: 'a.sh', exit: 1 }] };

    expect(await tell(script, { steps: [{ line: 5, actions: [TICK], expect: expected }] })).toEqual([]);
  });

  it('fails when what it writes is refused, unless its step expects an answer', async () => {
    const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a', namespace: 'default' } };
    const answer = { code: 404, body: { message: 'namespaces "default" not found' } };
    const steps = [{ line: 5, actions: [{ type: 'apply', object } as const] }];

    expect(await tell({ answer }, { steps })).toEqual([
      '5 step 1 : apply Secret default/a was refused with 404: "namespaces \\"default\\" not found"; where that is meant, expect answer: {code: 404}',
    ]);
    const expecting = steps.map((step) => ({ ...step, expect: { answer: { code: 404 } } }));
    expect(await tell({ answer }, { steps: expecting })).toEqual([]);
    const asking = [{ line: 5, actions: [{ type: 'admit', operation: 'CREATE', object } as const] }];
    expect(await tell({ answer }, { steps: asking })).toEqual([]);
  });

  it('fails when a run that is to be killed never comes, or has fewer effects', async () => {
    const kill = (afterEffects: number) => ({ type: 'killHook', hook: 'a.sh', afterEffects }) as const;
    const killed = { outcome: 'failed', message: 'hook a.sh: it was killed by SIGKILL', next: 'drop' } as const;
    const steps = [
      { line: 5, actions: [kill(0), TICK] },
      { line: 7, actions: [kill(2), TICK] },
    ];
    const once = (_: unknown, index: number) => run('a.sh', index === 1 ? killed : {});

    expect(await tell({ on: () => run('a.sh', killed) }, { steps })).toEqual([]);
    expect(await tell({ on: once }, { steps })).toEqual([
      '7 end : no run of a.sh was killed: none that began after this step wrote or called 2 time(s) itself; what hooklet writes for it does not count',
    ]);
    expect(await tell({}, { steps: steps.slice(0, 1) })).toEqual([
      '5 end : no run of a.sh was killed: none began after this step',
    ]);
  });

  it('breaks an invariant with the write that does, and with one of which it cannot be judged', async () => {
    const script: Script = { on: () => [write('a'), write('b', { verb: 'delete', before: { data: {} } })] };
    const invariants = [
      { name: 'nothing is deleted', program: '.verb == "delete"' },
      { name: 'names have no b', program: 'select(.object.name == "b") | .verb.x' },
      { name: 'nothing comes out', program: 'empty' },
    ];

    expect(await tell(script, { never: invariants })).toEqual([
      '5 step 1 never: nothing is deleted: hooklet: delete v1/Secret/default/b\n  before: {"data":{}}\n  after: nothing',
      expect.stringMatching(
        /^5 step 1 never: names have no b: cannot be judged: .*\(hooklet: delete v1\/Secret\/default\/b\)$/,
      ),
    ]);
  });

  it('does not begin a search of an invariant that nothing could end', async () => {
    const script: Script = { on: () => [write('a')] };
    const endless = { name: 'slow', program: '("a" * 60 + "b") | test("(a+)+$")' };
    const short = { name: 'short', program: '.object.name | test("^(b|c).*[0-9]+.*$")' };

    expect(await tell(script, { never: [endless, short] })).toEqual([
      expect.stringMatching(
        /slow: cannot be judged: the filter was stopped before a regular expression that may take too/,
      ),
    ]);
  });

  it('has a timeline of what matters, a line each', async () => {
    const script: Script = {
      start: [
        ...run('a.sh', { output: ['hello'] }),
        logged('nothing'),
        write('a'),
        write('b', { code: 403, isChange: false }),
      ],
    };
    const { timeline } = await runStory(scenario(), { worlds: scriptedWorlds(script), signal: never, nowMs });

    expect(timelineLines(timeline).map((line) => line.slice(20))).toEqual([
      'run   a.sh []',
      'ended a.sh: succeeded, done',
      'write hooklet: apply v1/Secret/default/a (created)',
      'write hooklet: apply v1/Secret/default/b refused with 403',
    ]);
  });
});

describe('stories', () => {
  const base = { signal: never, isWhole: false, isBail: false, nowMs, perturbing: () => undefined };

  it('are told in their order, and none begins after one that failed with isBail', async () => {
    const scenarios = ['a', 'b', 'c'].map((name) => scenario({ name, ...(name === 'b' && { expect: { runs: 1 } }) }));
    const told: unknown[] = [];
    await runStories(scenarios, {
      ...base,
      worlds: scriptedWorlds({}),
      jobs: 1,
      isBail: true,
      onResult: (result, { name }) => told.push([name, result && isPassed(result)]),
    });

    expect(told).toEqual([
      ['a', true],
      ['b', false],
      ['c', undefined],
    ]);
  });

  it('are perturbed when they pass, and fail by what is found', async () => {
    const finding = {
      kind: 'crash',
      disturbance: 'killed',
      differences: ['a'],
      plan: 'crash:1',
      timeline: [],
    } as const;
    const asked: unknown[] = [];
    const [first, second] = await runStories([scenario(), scenario({ expect: { runs: 1 } })], {
      ...base,
      worlds: scriptedWorlds({}),
      jobs: 2,
      onResult: () => {},
      perturbing: () => ({
        settings: { kinds: ['crash'] },
        perturb: async (one, _worlds, settings) => {
          asked.push([one.name, settings.kinds]);
          return { name: one.name, plans: 1, pruned: 0, leftOut: 0, kinds: [], findings: [finding] };
        },
      }),
    });

    expect(asked).toEqual([['a', ['crash']]]);
    expect([first, second].map((one) => one && isPassed(one))).toEqual([false, false]);
    expect([first?.failures, second?.report]).toEqual([[], undefined]);
  });
});
