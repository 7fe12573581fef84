import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Hook } from '../../src/hook/binding.ts';
import { combineTasks, compactGroups, groupOf } from '../../src/hook/combine.ts';
import type { Task } from '../../src/hook/task.ts';
import type { Trigger } from '../../src/hook/trigger.ts';
import { hookWith, kubernetesBinding, onStartupBinding, scheduleBinding, tickOf } from '../support/bindings.ts';

const NEVER = new AbortController().signal;
const hooks = { A: hookWith('A'), B: hookWith('B'), C: hookWith('C') } as const;

/** A trigger from its short form: `startup`, or `sync`, `slice`, `event` or `tick` with `:number` and optionally `/group`. */
function trigger(short: string): Trigger {
  const [kind = '', rest = ''] = short.split(':');
  const [name = '', group] = rest.split('/');
  const fields = group === undefined ? {} : { group };
  if (kind === 'startup') return { type: 'onStartup', binding: onStartupBinding };
  if (kind === 'tick') return tickOf(scheduleBinding(name, fields));
  const binding = kubernetesBinding(name, fields);
  if (kind === 'sync') return { type: 'synchronization', binding };
  if (kind === 'slice') return { type: 'synchronization', binding, slice: { index: 1, given: NEVER } };
  return { type: 'event', binding, watchEvent: 'Added', item: { namespace: '', name } };
}

function short(value: Trigger): string {
  if (value.type === 'onStartup') return 'startup';
  if (value.type === 'ask' || value.type === 'reconcile' || value.type === 'http') return value.type;
  const isSlice = value.type === 'synchronization' && value.slice !== undefined;
  const kind = isSlice ? 'slice' : { synchronization: 'sync', schedule: 'tick', event: 'event' }[value.type];
  const { name, group } = value.binding;
  return `${kind}:${name}${group === undefined ? '' : `/${group}`}`;
}

function task(hook: Hook, first: string, ...rest: readonly string[]): Task {
  return {
    hook,
    triggers: [trigger(first), ...rest.map(trigger)],
    allowFailure: false,
    queuedAtMs: 0,
    failures: 0,
    ownFailures: 0,
    sinceMs: 0,
  };
}

/** Tasks from `A event:1 event:2`. */
function tasks(...texts: readonly string[]): readonly Task[] {
  return texts.map((text) => {
    const [hook, first = '', ...rest] = text.split(' ');
    return task(hook === 'A' ? hooks.A : hook === 'B' ? hooks.B : hooks.C, first, ...rest);
  });
}

function texts(values: readonly Task[]): readonly string[] {
  return values.map(({ hook, triggers }) => [hook.name, ...triggers.map(short)].join(' '));
}

function repeat(count: number, text: (index: number) => string): readonly string[] {
  return Array.from({ length: count }, (_, index) => text(index));
}

describe('combineTasks', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['keeps an empty queue', [], []],
    ['merges neighbors of one hook in order', ['A event:1', 'A tick:2', 'A event:3'], ['A event:1 tick:2 event:3']],
    ['stops at another hook', ['A event:1', 'B event:2', 'A event:3'], ['A event:1', 'B event:2', 'A event:3']],
    ['merges behind the head too', ['A event:1', 'B event:2', 'B event:3'], ['A event:1', 'B event:2 event:3']],
    [
      'leaves an ungrouped Synchronization alone',
      ['A sync:1', 'A sync:2', 'A event:3', 'A event:4'],
      ['A sync:1', 'A sync:2', 'A event:3 event:4'],
    ],
    [
      'merges nothing into what stands before one',
      ['A event:1', 'A sync:2', 'A event:3'],
      ['A event:1', 'A sync:2', 'A event:3'],
    ],
    [
      'merges grouped Synchronizations and keeps each, but no events into them',
      ['A sync:1/g', 'A sync:2/g', 'A event:3/g', 'A event:4'],
      ['A sync:1/g sync:2/g', 'A event:3/g event:4'],
    ],
    [
      'merges the Synchronizations of slices that came together, but not into that of the start, and no events into them',
      ['A sync:1', 'A slice:1', 'A slice:2', 'A slice:1', 'A event:3'],
      ['A sync:1', 'A slice:1 slice:2 slice:1', 'A event:3'],
    ],
    ['leaves onStartup alone', ['A startup', 'A startup', 'A tick:1'], ['A startup', 'A startup', 'A tick:1']],
    ['keeps the last of adjacent triggers of a group', ['A event:1/g', 'A event:2/g', 'A event:3/g'], ['A event:3/g']],
    [
      'keeps a tick of a group, so that its outcome is known',
      ['A event:1/g', 'A tick:2/g', 'A event:3/g'],
      ['A tick:2/g event:3/g'],
    ],
    [
      'keeps both of a group that another trigger parts',
      ['A event:1/g', 'A event:2', 'A event:3/g'],
      ['A event:1/g event:2 event:3/g'],
    ],
    ['keeps different groups', ['A event:1/g', 'A event:2/h', 'A event:3/g'], ['A event:1/g event:2/h event:3/g']],
    ['compacts across merged tasks', ['A event:1 event:2/g', 'A event:3/g event:4'], ['A event:1 event:3/g event:4']],
  ])('%s', (_law, before, after) => {
    expect(texts(combineTasks(tasks(...before)))).toEqual(after);
  });

  it('keeps what the first task says of failures and time', () => {
    const [first, second] = tasks('A event:1', 'A event:2');
    if (first === undefined || second === undefined) throw new Error('no tasks');

    const [merged] = combineTasks([
      { ...first, allowFailure: true, failures: 3, queuedAtMs: 5 },
      { ...second, allowFailure: true, queuedAtMs: 9 },
    ]);

    expect(merged).toMatchObject({ allowFailure: true, failures: 3, queuedAtMs: 5 });
  });

  it('merges no task that must be retried into one that may fail', () => {
    const lenient = tasks('A event:1').map((value) => ({ ...value, allowFailure: true }));
    const queue = [...lenient, ...tasks('A event:2', 'A event:3')];
    const long = [
      ...lenient,
      ...tasks(...repeat(60, (index) => `A event:${index}`)),
      ...lenient,
      ...tasks('B event:9'),
    ];

    expect(texts(combineTasks(queue))).toEqual(['A event:1', 'A event:2 event:3']);
    expect(combineTasks(long).map(({ allowFailure }) => allowFailure)).toEqual([true, false, true, false]);
  });

  it('returns the same list when there is nothing to merge', () => {
    const queue = tasks('A event:1', 'B event:2', 'A sync:3', 'A startup');

    expect(combineTasks(queue) === queue).toBe(true);
  });

  it('changes neither its list nor its tasks', () => {
    const queue = tasks('A event:1', 'A event:2/g', 'A event:3/g', 'B event:4');
    const before = texts(queue);

    combineTasks(queue);

    expect(texts(queue)).toEqual(before);
  });

  describe('in a long queue', () => {
    const alternating = (count: number) => repeat(count, (index) => `${index % 2 === 0 ? 'A' : 'B'} event:${index}`);

    it('leaves 100 tasks as they are', () => {
      const queue = tasks(...repeat(50, () => 'A event:1').flatMap((text) => [text, 'B event:2']));

      expect(combineTasks(queue) === queue).toBe(true);
    });

    it('leaves hooks with fewer than 100 tasks as they are', () => {
      const queue = tasks(...alternating(198));

      expect(combineTasks(queue) === queue).toBe(true);
    });

    it('merges all tasks of a hook with 100 into its first one, in order', () => {
      const combined = combineTasks(tasks(...alternating(199)));

      // Hook A has 100 tasks, hook B 99; once those of A are merged, those of B are adjacent.
      expect(combined.map(({ hook }) => hook.name)).toEqual(['A', 'B']);
      expect(combined[0]?.triggers.map(short)).toEqual(repeat(100, (index) => `event:${index * 2}`));
      expect(combined[1]?.triggers.map(short)).toEqual(repeat(99, (index) => `event:${index * 2 + 1}`));
    });

    it('lets nothing of the hook pass its Synchronization', () => {
      const queue = tasks(...alternating(200), 'A sync:x', 'B event:y', ...alternating(4));

      expect(texts(combineTasks(queue)).map((text) => text.split(' ', 2).join(' '))).toEqual([
        'A event:0',
        'B event:1',
        'A sync:x',
        'A event:0',
      ]);
    });
  });

  describe('for any queue', () => {
    const anyTrigger = fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom('event', 'tick') },
      { weight: 1, arbitrary: fc.constantFrom('sync', 'startup') },
    );
    const anyGroup = fc.constantFrom('', '', '', '/g', '/h');
    const anyTask = fc.tuple(fc.constantFrom('A', 'B', 'C'), anyTrigger, anyGroup);
    const anyQueue = fc
      .array(anyTask, { maxLength: 400, size: 'max' })
      .map((entries) => entries.map(([hook, kind, group], index) => `${hook} ${kind}:${index}${group}`));

    /** fast-check would take minutes to shrink such long lists, for little insight. */
    const holdsFor = (law: (queue: readonly Task[]) => void): void => {
      fc.assert(
        fc.property(anyQueue, (entries) => law(tasks(...entries))),
        { endOnFailure: true, numRuns: 40 },
      );
    };

    const triggersOf = (queue: readonly Task[], hook: string) =>
      queue.filter((value) => value.hook.name === hook).flatMap(({ triggers }) => triggers);

    it('each hook keeps its triggers and their order, less what its groups stand for', () => {
      holdsFor((queue) => {
        const combined = combineTasks(queue);

        for (const hook of ['A', 'B', 'C']) {
          const before = triggersOf(queue, hook);
          const after = triggersOf(combined, hook);
          const kept = new Set(after);
          expect(after).toEqual(before.filter((value) => kept.has(value)));
          for (const [index, value] of before.entries()) {
            if (kept.has(value)) continue;
            const next = before[index + 1];
            expect(['event', 'schedule']).toContain(value.type);
            expect(groupOf(value)).toBeDefined();
            expect(next === undefined ? undefined : groupOf(next)).toBe(groupOf(value));
          }
        }
      });
    });

    it('onStartup and ungrouped Synchronizations stay alone', () => {
      holdsFor((queue) => {
        for (const { triggers } of combineTasks(queue)) {
          const isAlone = triggers.some((value) => /^startup|^sync:\d+$/.test(short(value)));
          expect(!isAlone || triggers.length === 1).toBe(true);
        }
      });
    });

    it('a second time changes nothing', () => {
      holdsFor((queue) => {
        const once = combineTasks(queue);

        expect(combineTasks(once) === once).toBe(true);
      });
    });

    it('hooks keep their turns in a queue that is not long', () => {
      const turns = (queue: readonly Task[]) =>
        queue.map(({ hook }) => hook.name).filter((name, index, names) => name !== names[index - 1]);

      holdsFor((queue) => {
        const start = queue.slice(0, 100);

        expect(turns(combineTasks(start))).toEqual(turns(start));
      });
    });
  });

  it('takes 10,000 tasks in one go, neighbors or not', () => {
    const names = repeat(20, (index) => `hook-${index}`).map((name) => hookWith(name));
    const queue = repeat(10_000, String).map((id, index) => task(names[index % 20] ?? hooks.A, `event:${id}`));

    const combined = combineTasks(queue);

    expect(combined).toHaveLength(20);
    expect(combined.flatMap(({ triggers }) => triggers)).toHaveLength(10_000);
    expect(combineTasks(repeat(10_000, (index) => `A event:${index}`).flatMap((text) => tasks(text)))).toHaveLength(1);
  });
});

describe('ticks of a schedule', () => {
  const binding = scheduleBinding('tick', { group: 'g' });
  const tickTask = (run: string, of = binding): Task => ({
    hook: hooks.A,
    triggers: [tickOf(of, { runId: run })],
    allowFailure: false,
    queuedAtMs: 0,
    failures: 0,
    ownFailures: 0,
    sinceMs: 0,
  });
  const runIds = (merged: readonly Task[]): readonly unknown[] =>
    merged.map(({ triggers }) => triggers.map((one) => (one.type === 'schedule' ? one.run.runId : one.type)));

  it('of one binding in a group are one, however many came and whatever came between', () => {
    const event = task(hooks.A, 'event:1/g');

    expect(runIds(combineTasks([tickTask('a'), event, tickTask('b'), event, tickTask('c')]))).toEqual([['c']]);
  });

  it('that give way to newer ones stay alone', () => {
    const replaced = scheduleBinding('r', { concurrency: 'replace' });
    const queue = [
      task(hooks.A, 'event:1'),
      tickTask('a', replaced),
      tickTask('b', replaced),
      task(hooks.A, 'event:2'),
    ];

    expect(combineTasks(queue)).toBe(queue);
  });
});

describe('compactGroups', () => {
  it('keeps the last of adjacent triggers of a group, Synchronizations too', () => {
    const triggers = ['sync:1/g', 'sync:2/g', 'event:3/g', 'event:4', 'event:5/g', 'event:6/h', 'tick:7/h'].map(
      trigger,
    );

    expect(compactGroups(triggers).map(short)).toEqual(['event:3/g', 'event:4', 'event:5/g', 'tick:7/h']);
  });
});
