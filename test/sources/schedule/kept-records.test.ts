import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KeptRecords } from '../../../src/sources/schedule/kept-records.ts';
import { newRecord } from '../../../src/sources/schedule/plan.ts';
import type { ScheduleRecord } from '../../../src/sources/schedule/record.ts';
import { scheduleBinding } from '../../support/bindings.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

const never = new AbortController().signal;
const target = { hook: 'hook.sh', id: 's', binding: scheduleBinding('s') };

function record(missed: number): ScheduleRecord {
  return { ...newRecord(target, 0), missed };
}

/** A change that sets `missed`, and yields what it was before. */
function set(missed: number) {
  return (known: ScheduleRecord | undefined) => ({
    record: { ...(known ?? record(0)), missed },
    result: known?.missed ?? 'nothing',
  });
}

const ends: (() => Promise<void>)[] = [];

beforeEach(() => void vi.useFakeTimers());

afterEach(async () => {
  await Promise.all(ends.splice(0).map(async (end) => end()));
  vi.useRealTimers();
});

function open(store: MemoryStore) {
  const log = recordingLogger();
  const controller = new AbortController();
  const records = new KeptRecords(store.view(), log);
  const ended = records.run(controller.signal);
  const end = async (): Promise<void> => {
    controller.abort();
    await vi.advanceTimersByTimeAsync(6000);
    await ended;
  };
  ends.push(end);
  return { records, log, end };
}

const soon = async (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

describe('KeptRecords', () => {
  it('asks nothing of its store before somebody needs it', async () => {
    const store = new MemoryStore();
    const read = vi.spyOn(store, 'view');
    store.trouble = new Error('must not be asked');
    const { records, log } = open(store);

    await vi.advanceTimersByTimeAsync(600_000);

    expect(read).toHaveBeenCalledOnce();
    expect(log.lines).toEqual([]);
    expect(records.problem).toBeUndefined();
  });

  it('reads back what another process wrote', async () => {
    const store = new MemoryStore();
    const first = open(store);
    await first.records.update('a', set(1), never);
    await first.end();

    const { records } = open(store);
    await records.ready(never);

    expect(records.get('a')).toEqual(record(1));
    expect(records.get('b')).toBeUndefined();
  });

  it('writes only on top of what it has seen: of two that change at once, the second sees the first', async () => {
    const store = new MemoryStore();
    const [one, two] = [open(store), open(store)];
    await Promise.all([one.records.ready(never), two.records.ready(never)]);

    const seen = await Promise.all([one.records.update('a', set(1), never), two.records.update('a', set(2), never)]);

    expect(seen).toEqual(['nothing', 1]);
    expect(store.values()).toMatchObject([{ missed: 2 }]);
    expect(two.records.get('a')).toMatchObject({ missed: 2 });
  });

  it('writes what came meanwhile together', async () => {
    const store = new MemoryStore();
    const { records } = open(store);
    await records.ready(never);

    await Promise.all(['a', 'b', 'c'].map(async (key) => records.update(key, set(1), never)));

    expect(store.writes).toBeLessThanOrEqual(2);
    expect(store.values()).toHaveLength(3);
  });

  it('writes nothing where nothing changed', async () => {
    const store = new MemoryStore();
    const { records } = open(store);
    await records.update('a', set(1), never);

    const result = await records.update('a', (known) => ({ record: known, result: 'same' }), never);

    expect(result).toBe('same');
    expect(store.writes).toBe(1);
  });

  it('shows a note at once and writes it later, on top of what another wrote', async () => {
    const store = new MemoryStore();
    const [one, two] = [open(store), open(store)];
    await one.records.update('a', set(1), never);
    await two.records.update('b', set(7), never);
    await two.records.ready(never);

    two.records.note('a', (known) => ({ ...known, lastSucceededMs: 5000 }));
    expect(two.records.get('a')).toMatchObject({ missed: 1, lastSucceededMs: 5000 });
    await one.records.update('a', set(2), never);
    await soon();

    expect(JSON.parse(store.texts.get('a') ?? '')).toMatchObject({ lastSucceeded: '1970-01-01T00:00:05.000Z' });
  });

  describe('while the store cannot be reached', () => {
    it('a change waits, is told once, and is made when the store is there again', async () => {
      const store = new MemoryStore();
      const { records, log } = open(store);
      await records.ready(never);
      store.trouble = new Error('connection refused');
      const settled = vi.fn<(result: unknown) => void>();
      const changed = records.update('a', set(1), never).then(settled);

      await vi.advanceTimersByTimeAsync(300_000);
      expect(settled).not.toHaveBeenCalled();
      expect(records.problem).toBe('memory: connection refused');
      store.trouble = undefined;
      await vi.advanceTimersByTimeAsync(30_000);
      await changed;

      expect(settled).toHaveBeenCalledExactlyOnceWith('nothing');
      expect(records.problem).toBeUndefined();
      expect(log.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
        'warn schedule state cannot be reached, schedules wait for it',
        'info schedule state is reached again',
      ]);
    });

    it('a change that its asker gives up is not made', async () => {
      const store = new MemoryStore();
      const { records } = open(store);
      await records.ready(never);
      store.trouble = new Error('connection refused');
      const asker = new AbortController();
      const changed = records.update('a', set(1), asker.signal);
      await soon();

      asker.abort();
      expect(await changed).toBeUndefined();
      store.trouble = undefined;
      await vi.advanceTimersByTimeAsync(60_000);

      expect(store.texts.size).toBe(0);
    });

    it('its end is not put off for long, and what is lost is told', async () => {
      const store = new MemoryStore();
      const { records, log, end } = open(store);
      await records.update('a', set(1), never);
      store.trouble = new Error('connection refused');
      records.note('a', (known) => ({ ...known, missed: 9 }));

      await end();

      expect(log.lines.at(-1)).toMatchObject({
        level: 'error',
        message: 'the last of the schedule state is not written',
      });
    });
  });

  it('a write whose answer is lost is looked at again, and its change is asked again', async () => {
    const store = new MemoryStore();
    const { records } = open(store);
    await records.ready(never);
    store.losesAnswer = true;
    const changed = records.update('a', set(1), never);

    await vi.advanceTimersByTimeAsync(2000);

    expect(await changed).toBe(1);
    expect(store.values()).toMatchObject([{ missed: 1 }]);
  });

  it('writes what is left at its end', async () => {
    const store = new MemoryStore();
    const { records, end } = open(store);
    await records.update('a', set(1), never);

    records.note('a', (known) => ({ ...known, missed: 9 }));
    await end();

    expect(store.values()).toMatchObject([{ missed: 9 }]);
  });

  describe('with a store that refuses', () => {
    it('goes on unkept, and says what it takes', async () => {
      const store = new MemoryStore();
      store.refusal = new Error('forbidden');
      const { records, log } = open(store);

      await records.ready(never);
      const result = await records.update('a', set(1), never);
      records.note('a', (known) => ({ ...known, missed: 2 }));

      expect(result).toBe('nothing');
      expect(records.get('a')).toMatchObject({ missed: 2 });
      expect(records.isKept).toBe(false);
      expect(records.problem).toBe('memory: forbidden; it takes a better store');
      expect(log.lines).toMatchObject([
        {
          level: 'error',
          message: 'schedule state cannot be kept, ticks missed while nobody is there are lost',
          fields: { place: 'memory', advice: 'a better store' },
        },
      ]);
    });

    it('keeps what it knows as soon as the store takes it, without being told', async () => {
      const store = new MemoryStore();
      const { records, log } = open(store);
      await records.update('a', set(1), never);
      store.refusal = new Error('forbidden');
      await records.update('a', set(5), never);
      store.refusal = undefined;

      await vi.advanceTimersByTimeAsync(61_000);

      expect(records.isKept).toBe(true);
      expect(store.values()).toMatchObject([{ missed: 5 }]);
      expect(log.lines.at(-1)).toMatchObject({ level: 'info', message: 'schedule state is kept again' });
    });

    it('ends at once', async () => {
      const store = new MemoryStore();
      store.refusal = new Error('forbidden');
      const log = recordingLogger();
      const records = new KeptRecords(store.view(), log);
      const controller = new AbortController();
      const ended = records.run(controller.signal);
      await records.ready(never);

      controller.abort();
      await ended;

      expect(vi.getTimerCount()).toBe(0);
    });
  });

  it('puts aside what it cannot read, says so, and starts that schedule anew', async () => {
    const store = new MemoryStore();
    const first = open(store);
    await first.records.update('good', set(1), never);
    await first.end();
    store.texts.set('bad', '{"hook": "hook.sh", "missed": ');

    const { records, log } = open(store);
    await records.ready(never);

    expect(records.get('good')).toEqual(record(1));
    expect(records.get('bad')).toBeUndefined();
    expect(store.texts.get('bad.corrupt')).toBe('{"hook": "hook.sh", "missed": ');
    expect(log.lines).toMatchObject([
      {
        level: 'warn',
        message: 'state of a schedule cannot be read, it starts anew',
        fields: { key: 'bad', keptAs: 'bad.corrupt', content: '{"hook": "hook.sh", "missed": ' },
      },
    ]);
    await records.update('bad', set(3), never);
    expect(records.get('bad')).toEqual(record(3));
  });
});
