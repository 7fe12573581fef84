import { describe, expect, it } from 'vitest';
import { HookFailedError } from '../../src/errors.ts';
import type { Hook } from '../../src/hook/binding.ts';
import type { DeadLetter } from '../../src/hook/dead-control.ts';
import type { EventTrigger, QueuedTrigger, Snapshot, Trigger } from '../../src/hook/trigger.ts';
import { createMetrics } from '../../src/metrics.ts';
import { letterDocument, parseLetter } from '../../src/run/dead-letter-json.ts';
import { DeadLetters, MAX_LETTER_BYTES, MAX_LETTERS } from '../../src/run/dead-letters.ts';
import { endedWhole } from '../../src/run/journal.ts';
import type { Next } from '../../src/run/policy.ts';
import type { RunOutcome } from '../../src/run/run.ts';
import { hookWith, kubernetesBinding, onStartupBinding, scheduleBinding, tickOf } from '../support/bindings.ts';
import { metricValues } from '../support/metric-values.ts';
import { recordingLogger } from '../support/recording-logger.ts';
import { taskOf } from '../support/unit-rig.ts';

const pods = kubernetesBinding('pods', { apiVersion: 'v1' });
const nightly = scheduleBinding('nightly');
const hook = hookWith('hook.sh', [pods, nightly, onStartupBinding]);
const COST = { durationMs: 1, usage: {} };
const PERMANENT: Next = { type: 'dead', why: 'permanent' };
const FAILURE: RunOutcome = {
  type: 'failed',
  by: 'hook',
  error: new HookFailedError('printed-by-the-hook', { ending: { exitCode: 78, timedOut: false } }),
};

function objectOf(name: string, metadata: object = {}, more: object = {}): Uint8Array {
  return Buffer.from(
    JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'default', name, ...metadata }, ...more }),
  );
}

function event(name: string, fields: Partial<EventTrigger> = {}, metadata: object = {}): EventTrigger {
  const item = { namespace: 'default', name, object: objectOf(name, metadata) };
  return { type: 'event', binding: pods, watchEvent: 'Modified', item, ...fields };
}

function rig(snapshot: Snapshot = []) {
  const metrics = createMetrics('');
  const log = recordingLogger();
  const dead: string[] = [];
  let nowMs = 1000;
  let changes = 0;
  const letters = new DeadLetters({
    now: () => nowMs,
    snapshotOf: () => snapshot,
    onDead: ({ id }) => void dead.push(id),
    onChange: () => void (changes += 1),
    metrics,
    log,
  });
  let runs = 0;
  const end = (
    triggers: readonly [Trigger, ...Trigger[]],
    next: Next,
    outcome: RunOutcome = FAILURE,
    of: Hook = hook,
  ) => {
    const task = { ...taskOf(of, triggers[0]), triggers, sinceMs: 500, failures: 2 };
    letters.record(endedWhole({ id: `run-${(runs += 1)}`, task, queue: 'main', attempt: 3 }, outcome, next));
  };
  return {
    letters,
    metrics,
    log,
    dead,
    end,
    changes: () => changes,
    succeed: (...triggers: readonly [Trigger, ...Trigger[]]) =>
      end(triggers, { type: 'done' }, { type: 'succeeded', cost: COST, applied: [] }),
    queue: (trigger: QueuedTrigger) => letters.record({ type: 'queued', task: taskOf(hook, trigger), queue: 'main' }),
    pass: (ms: number) => void (nowMs += ms),
    subjects: () =>
      letters.all.map(({ trigger, binding }) => ('name' in trigger ? `${binding}/${trigger.name}` : trigger.type)),
  };
}

describe('a dead letter', () => {
  it('has references to the object and what the hook said, and not what it printed', () => {
    const { letters, end, metrics } = rig();
    const metadata = { uid: 'u1', resourceVersion: '7', generation: 3 };

    end([event('web', {}, metadata)], PERMANENT);

    expect(letters.all).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{8}$/),
        hook: 'hook.sh',
        binding: 'pods',
        trigger: {
          type: 'event',
          watchEvent: 'Modified',
          apiVersion: 'v1',
          kind: 'Pod',
          namespace: 'default',
          name: 'web',
          ...metadata,
        },
        why: 'permanent',
        message: expect.not.stringContaining('printed'),
        attempts: 3,
        firstAtMs: 500,
        lastAtMs: 1000,
        runId: 'run-1',
      },
    ]);
    expect(metricValues(metrics, 'dead_letters')).toEqual(['{hook="hook.sh",binding="pods"} 1']);
  });

  it('says of a hook that gave no message how it ended', () => {
    const { letters, end } = rig();
    const error = new HookFailedError('printed', { ending: { exitCode: 78, timedOut: false } });

    end([event('web')], PERMANENT, { ...FAILURE, error });

    expect(letters.all).toMatchObject([{ message: 'exit code 78, without a message' }]);
  });

  it('has the reason and message of the result file, cut at 512 characters', () => {
    const { letters, end } = rig();
    const result = { conditions: [], events: [], contexts: new Map(), reason: 'NoLicense', message: 'x'.repeat(2000) };

    end([event('web')], PERMANENT, { ...FAILURE, result });

    expect(letters.all).toMatchObject([{ reason: 'NoLicense', message: 'x'.repeat(512) }]);
  });

  it('is one for each object of a combined run, and replaced with the same id when it is given up again', () => {
    const { letters, end, pass, subjects } = rig();
    end([event('a'), event('b'), event('a')], PERMANENT);
    const [, first] = letters.all;
    pass(5000);
    end([event('b')], { type: 'dead', why: 'exhausted' });

    expect(subjects()).toEqual(['pods/b', 'pods/a']);
    const [b] = letters.all;
    expect(b).toMatchObject({ why: 'exhausted', firstAtMs: 500, lastAtMs: 6000, runId: 'run-2' });
    expect(new Set(letters.all.map(({ id }) => id)).size).toBe(2);
    expect(first?.hook).toBe('hook.sh');
  });

  it('is one for all ticks of a schedule, for a Synchronization and for onStartup', () => {
    const { end, subjects, letters } = rig();
    end([tickOf(nightly, { runId: 'r1' })], PERMANENT);
    end([tickOf(nightly, { runId: 'r2' })], PERMANENT);
    end([{ type: 'synchronization', binding: pods }], PERMANENT);
    end([{ type: 'onStartup', binding: onStartupBinding }], PERMANENT);

    expect(subjects()).toEqual(['onStartup', 'synchronization', 'schedule']);
    expect(letters.all[2]?.trigger).toMatchObject({ runId: 'r2' });
  });

  it('survives being written and read', () => {
    const { letters, end } = rig();
    end([event('a', {}, { uid: 'u', generation: 1 }), tickOf(nightly)], PERMANENT);
    end([{ type: 'synchronization', binding: pods }], PERMANENT);
    end([{ type: 'onStartup', binding: onStartupBinding }], PERMANENT);

    const read = letters.all.map((letter) => parseLetter(JSON.parse(JSON.stringify(letterDocument(letter)))));

    expect(read).toEqual(letters.all);
  });

  it.each([[{}], [{ id: 1 }], ['text'], [null], [{ id: 'a', hook: 'h', binding: 'b', trigger: { type: 'x' } }]])(
    'of somebody else, %j, is refused',
    (value) => {
      expect(() => parseLetter(value)).toThrow(SyntaxError);
    },
  );
});

describe('a dead letter is cleared', () => {
  it('by a successful run for the same, and by no other', () => {
    const { end, succeed, subjects, metrics } = rig();
    end([event('a'), event('b'), tickOf(nightly)], PERMANENT);
    succeed(event('b'));
    succeed(event('c'));
    expect(subjects()).toEqual(['schedule', 'pods/a']);

    succeed(tickOf(nightly, { runId: 'another' }), event('a'));
    expect(subjects()).toEqual([]);
    expect(metricValues(metrics, 'dead_letters').every((line) => line.endsWith(' 0'))).toBe(true);
  });

  it('by a new event of its object when that is queued, and not by a tick or a Synchronization that is queued', () => {
    const { end, queue, subjects } = rig();
    end([event('a'), tickOf(nightly)], PERMANENT);
    end([{ type: 'synchronization', binding: pods }], PERMANENT);
    queue(tickOf(nightly));
    queue({ type: 'synchronization', binding: pods });
    queue(event('b'));
    expect(subjects()).toEqual(['synchronization', 'schedule', 'pods/a']);

    queue(event('a'));
    expect(subjects()).toEqual(['synchronization', 'schedule']);
  });

  it('by the deletion of its object, whatever the binding wants', () => {
    const { letters, end, subjects } = rig();
    end([event('a'), event('b')], PERMANENT);
    letters.gone('hook.sh', pods, { namespace: 'default', name: 'a' });

    expect(subjects()).toEqual(['pods/b']);
  });

  it('by a Synchronization that succeeds without its object, or with another version of it', () => {
    const item = (name: string, metadata: object) => ({ namespace: 'default', name, object: objectOf(name, metadata) });
    const { end, succeed, subjects } = rig([
      item('same', { generation: 1, resourceVersion: '9' }),
      item('changed', { generation: 2 }),
      item('recreated', { generation: 1, uid: 'new' }),
      item('status', { resourceVersion: '8' }),
      { namespace: 'default', name: 'unknown' },
    ]);
    end(
      [
        event('same', {}, { generation: 1, resourceVersion: '5' }),
        event('changed', {}, { generation: 1 }),
        event('recreated', {}, { generation: 1, uid: 'old' }),
        event('status', {}, { resourceVersion: '7' }),
        event('unknown'),
        event('gone'),
      ],
      PERMANENT,
    );

    succeed({ type: 'synchronization', binding: pods });

    expect(subjects()).toEqual(['pods/unknown', 'pods/same']);
  });
});

describe('dead letters', () => {
  it('never have the contents of a Secret', () => {
    const { letters, end } = rig();
    const secrets = kubernetesBinding('secrets', { kind: 'Secret' });
    const more = { kind: 'Secret', data: { password: 'aHVudGVyMg' }, stringData: { password: 'hunter2' } };
    const metadata = { annotations: { last: 'hunter2' }, labels: { l: 'hunter2' } };
    const item = {
      namespace: 'default',
      name: 'db',
      object: objectOf('db', metadata, more),
      filterResult: '"hunter2"',
    };
    for (const watchEvent of ['Added', 'Modified', 'Deleted'] as const)
      end([{ type: 'event', binding: secrets, watchEvent, item }], PERMANENT);

    expect(letters.all).toHaveLength(1);
    expect(JSON.stringify(letters.all.map(letterDocument))).not.toMatch(/hunter2|aHVudGVyMg|annotations|labels/);
  });

  it('stay within 1000 letters and the bytes of a ConfigMap through 10000 that are given up', () => {
    const { letters, end, metrics, log } = rig();
    const result = { conditions: [], events: [], contexts: new Map(), message: 'é'.repeat(600) };
    for (let index = 0; index < 10_000; index++)
      end([event(`${'n'.repeat(200)}-${index}`)], PERMANENT, { ...FAILURE, result });

    const text = JSON.stringify(letters.all.map(letterDocument));
    expect(MAX_LETTERS).toBe(1000);
    expect(letters.all.length).toBeLessThanOrEqual(MAX_LETTERS);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_LETTER_BYTES + 1);
    const dropped = 10_000 - letters.all.length;
    expect(metricValues(metrics, 'dead_letters_dropped_total')).toEqual([String(dropped)]);
    expect(log.lines).toHaveLength(1);
    expect(letters.all[0]?.trigger).toMatchObject({ name: `${'n'.repeat(200)}-9999` });
  });

  it('of an earlier process are added, older than those of this one, which replace them', () => {
    const before = rig();
    before.end([event('a'), event('b')], PERMANENT);
    const { letters, end, subjects, metrics } = rig();
    end([event('b')], { type: 'dead', why: 'exhausted' });

    letters.restore(before.letters.all);

    expect(subjects()).toEqual(['pods/b', 'pods/a']);
    expect(letters.all[0]).toMatchObject({ why: 'exhausted' });
    expect(metricValues(metrics, 'dead_letters')).toEqual(['{hook="hook.sh",binding="pods"} 2']);
  });

  it.each<[object, number]>([
    [{}, 4],
    [{ hook: 'hook.sh' }, 3],
    [{ hook: 'other.sh' }, 1],
    [{ reason: 'exhausted' }, 1],
    [{ object: 'default/a' }, 2],
    [{ object: 'default/a', hook: 'other.sh' }, 1],
    [{ object: 'a' }, 0],
    [{ hook: 'nope' }, 0],
  ])('are found by %j', (filter, count) => {
    const { letters, end } = rig();
    end([event('a'), event('b')], PERMANENT);
    end([tickOf(nightly)], { type: 'dead', why: 'exhausted' });
    end([event('a')], PERMANENT, FAILURE, hookWith('other.sh', [pods]));

    expect(letters.find(filter)).toHaveLength(count);
  });

  it('remember the last state of a small deleted object in memory, and give it to a retry', () => {
    const { letters, end } = rig();
    end([event('small', { watchEvent: 'Deleted' })], PERMANENT);
    const large = { namespace: 'default', name: 'large', object: objectOf('large', {}, { data: 'x'.repeat(20_000) }) };
    end([event('large', { watchEvent: 'Deleted', item: large }), event('kept')], PERMANENT);
    const last = (name: string) => {
      const letter = letters.all.find(({ trigger }) => 'name' in trigger && trigger.name === name);
      return letters.take(letter as DeadLetter);
    };

    expect(last('small')).toMatchObject({ object: objectOf('small') });
    expect(last('large')).toBeUndefined();
    expect(last('kept')).toBeUndefined();
    expect(letters.all).toEqual([]);
  });
});
