import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { objectKeyOf } from '../../src/hook/object-key.ts';
import type { ContextResult, HookResult } from '../../src/hook/result.ts';
import type { Task } from '../../src/hook/task.ts';
import type { Trigger } from '../../src/hook/trigger.ts';
import { partsOf } from '../../src/run/parts.ts';
import type { RunOutcome } from '../../src/run/run.ts';
import { hookWith, kubernetesBinding } from '../support/bindings.ts';
import { describeTask, eventOf, taskOf } from '../support/unit-rig.ts';

const pods = kubernetesBinding('pods');
const grouped = kubernetesBinding('grouped', { group: 'g' });
const hook = hookWith('hook.sh', [pods]);
const COST = { durationMs: 1, usage: {} };

function taskWith(...names: readonly string[]): Task {
  const [first, ...others] = names.map((name): Trigger => eventOf(name.startsWith('g') ? grouped : pods, name));
  if (first === undefined) throw new Error('a task has a trigger');
  return { ...taskOf(hook, first), triggers: [first, ...others] };
}

type Said = Readonly<Record<number, Partial<ContextResult>>>;

function resultOf(said: Said): HookResult {
  const contexts = Object.entries(said).map(([index, result]): [number, ContextResult] => [
    Number(index),
    { conditions: [], events: [], ...result },
  ]);
  return { conditions: [], events: [], contexts: new Map(contexts) };
}

const succeeded = (said: Said): RunOutcome => ({ type: 'succeeded', cost: COST, applied: [], result: resultOf(said) });
const failed = (said: Said): RunOutcome => ({
  type: 'failed',
  by: 'hook',
  error: new Error('no'),
  cost: COST,
  result: resultOf(said),
});

/** The parts as text: `pods/a + pods/b: succeeded`, with `own` for one that the result names. */
function shown(task: Task, outcome: RunOutcome): readonly string[] {
  return partsOf(task, outcome).map((part) => {
    const word = part.outcome.type === 'failed' && part.outcome.isPermanent === true ? 'permanent' : part.outcome.type;
    return `${describeTask(part.task)}: ${part.isOwn ? 'own ' : ''}${word}`;
  });
}

describe('the parts of a run', () => {
  it.each<[string, RunOutcome, readonly string[]]>([
    ['names no contexts', succeeded({}), ['pods/a + pods/b + pods/c: succeeded']],
    [
      'names one that failed',
      succeeded({ 1: { outcome: 'failed' } }),
      ['pods/a + pods/c: succeeded', 'pods/b: own failed'],
    ],
    [
      'names one of each kind',
      succeeded({ 0: { outcome: 'later' }, 1: { outcome: 'permanent' }, 2: { outcome: 'done' } }),
      ['pods/a: own later', 'pods/b: own permanent', 'pods/c: succeeded'],
    ],
    ['names one better than the whole', failed({ 1: { outcome: 'later' } }), ['pods/a + pods/b + pods/c: failed']],
    [
      'names one worse than the whole',
      failed({ 1: { outcome: 'permanent' } }),
      ['pods/a + pods/c: failed', 'pods/b: own permanent'],
    ],
    ['names one that is not there', succeeded({ 9: { outcome: 'failed' } }), ['pods/a + pods/b + pods/c: succeeded']],
    [
      'names one that is to come again',
      succeeded({ 2: { retryAfterMs: 1000 } }),
      ['pods/a + pods/b: succeeded', 'pods/c: own succeeded'],
    ],
  ])('whose result %s', (_what, outcome, expected) => {
    expect(shown(taskWith('a', 'b', 'c'), outcome)).toEqual(expected);
  });

  it('are one where there is no result, however it ended', () => {
    const task = taskWith('a', 'b');

    for (const outcome of [{ type: 'replaced' }, { type: 'succeeded', cost: COST, applied: [] }] as const) {
      expect(partsOf(task, outcome)).toEqual([{ task, outcome, isOwn: false }]);
    }
  });

  it('have later triggers of an object with the one that is run again, but not what is given up', () => {
    const outcome = succeeded({ 0: { outcome: 'failed' }, 3: { outcome: 'permanent' } });

    expect(shown(taskWith('a', 'b', 'a', 'a', 'b'), outcome)).toEqual([
      'pods/a + pods/a: own failed',
      'pods/b + pods/b: succeeded',
      'pods/a: own permanent',
    ]);
  });

  it('have the triggers of a group with the one that stands for them', () => {
    const outcome = succeeded({ 1: { outcome: 'failed', reason: 'Full', message: 'no space' } });
    const parts = partsOf(taskWith('a', 'g1', 'g2', 'b'), outcome);

    expect(shown(taskWith('a', 'g1', 'g2', 'b'), outcome)).toEqual([
      'pods/a + pods/b: succeeded',
      'grouped/g1 + grouped/g2: own failed',
    ]);
    expect(parts[1]?.outcome).toMatchObject({ error: { message: 'Full: no space' }, result: { reason: 'Full' } });
  });

  it('have each trigger once, in order, and no object in two parts that are run again', () => {
    const names = fc.array(fc.constantFrom('a', 'b', 'c', 'g1', 'g2'), { minLength: 1, maxLength: 12 });
    const words = fc.constantFrom('done', 'later', 'failed', 'permanent' as const);
    const said = fc.dictionary(fc.nat(12).map(String), fc.record({ outcome: words }));
    fc.assert(
      fc.property(names, said, fc.boolean(), (objects, contexts, isFailed) => {
        const task = taskWith(...objects);
        const parts = partsOf(task, isFailed ? failed(contexts) : succeeded(contexts));

        const all = parts.flatMap((part) => part.task.triggers);
        expect(all.toSorted((a, b) => task.triggers.indexOf(a) - task.triggers.indexOf(b))).toEqual(task.triggers);
        expect(new Set(all).size).toBe(task.triggers.length);
        for (const {
          task: { triggers },
        } of parts) {
          const places = triggers.map((trigger) => task.triggers.indexOf(trigger));
          expect(places).toEqual(places.toSorted((a, b) => a - b));
        }
        const again = parts.filter(
          ({ outcome }) => outcome.type === 'later' || (outcome.type === 'failed' && outcome.isPermanent !== true),
        );
        const keys = again.flatMap((part) => [...new Set(part.task.triggers.map(objectKeyOf))]);
        expect(new Set(keys).size).toBe(keys.length);
      }),
    );
  });
});
