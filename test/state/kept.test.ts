import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { latch } from '../../src/lib/latch.ts';
import { Kept } from '../../src/state/kept.ts';
import type { Store } from '../../src/state/store.ts';
import { MemoryStore } from '../support/memory-store.ts';
import { recordingLogger } from '../support/recording-logger.ts';

interface Counter {
  readonly count: number;
  readonly at?: number;
}

const never = new AbortController().signal;
const codec = { format: JSON.stringify, parse: (text: string): Counter => JSON.parse(text) };
const words = { what: 'tally', one: 'a counter', unreachable: 'counters wait', refused: 'counts are lost' };

/** A change that sets the count, and returns the previous one. */
function set(count: number) {
  return (known: Counter | undefined) => ({ record: { ...known, count }, result: known?.count ?? 'nothing' });
}

const ends: (() => Promise<void>)[] = [];

beforeEach(() => void vi.useFakeTimers());

afterEach(async () => {
  await Promise.all(ends.splice(0).map(async (end) => end()));
  vi.useRealTimers();
});

function open(store: MemoryStore | Store) {
  const log = recordingLogger();
  const controller = new AbortController();
  const records = new Kept<Counter>({ store: store instanceof MemoryStore ? store.view() : store, codec, words, log });
  const ended = records.run(controller.signal);
  const end = async (): Promise<void> => {
    controller.abort();
    await vi.advanceTimersByTimeAsync(6000);
    await ended;
  };
  ends.push(end);
  return { records, log, end, logged: () => log.lines.map(({ level, message }) => `${level} ${message}`) };
}

const soon = async (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

describe('Kept', () => {
  it('does not use its store before a record is requested', async () => {
    const store = new MemoryStore();
    const view = vi.spyOn(store, 'view');
    store.trouble = new Error('must not be asked');
    const { records, log } = open(store);

    records.note('a', ({ count }) => ({ count: count + 1 }));
    await vi.advanceTimersByTimeAsync(600_000);

    expect(view).toHaveBeenCalledOnce();
    expect(log.lines).toEqual([]);
    expect(records.problem).toBeUndefined();
    expect(records.isKept).toBe(true);
  });

  it('reads back what another process wrote', async () => {
    const store = new MemoryStore();
    const first = open(store);
    await first.records.update('a', set(1), never);
    await first.end();

    const { records } = open(store);
    await records.ready(never);

    expect(records.get('a')).toEqual({ count: 1 });
    expect(records.get('b')).toBeUndefined();
  });

  it('writes only on top of what it has seen: of two that change at once, the second sees the first', async () => {
    const store = new MemoryStore();
    const [one, two] = [open(store), open(store)];
    await Promise.all([one.records.ready(never), two.records.ready(never)]);
    await soon();

    const seen = await Promise.all([one.records.update('a', set(1), never), two.records.update('a', set(2), never)]);

    expect(seen).toEqual(['nothing', 1]);
    expect(store.values()).toEqual([{ count: 2 }]);
    expect(two.records.get('a')).toEqual({ count: 2 });
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

    two.records.note('a', (known) => ({ ...known, at: 5000 }));
    expect(two.records.get('a')).toEqual({ count: 1, at: 5000 });
    await one.records.update('a', set(2), never);
    await soon();

    expect(JSON.parse(store.texts.get('a') ?? '')).toEqual({ count: 2, at: 5000 });
  });

  it('shows what another wrote after a refresh', async () => {
    const store = new MemoryStore();
    const [one, two] = [open(store), open(store)];
    await two.records.ready(never);
    await one.records.update('a', set(1), never);

    await two.records.refresh(never);

    expect(two.records.get('a')).toEqual({ count: 1 });
  });

  it.each(['at first', 'later'])('reads again for a refresh that comes while it writes %s', async (when) => {
    const store = new MemoryStore();
    const view = store.view();
    const [one, two] = [open(store), open(view)];
    if (when === 'later') await two.records.ready(never);
    await soon();
    const write = view.write.bind(view);
    const answered = latch();
    vi.spyOn(view, 'write').mockImplementationOnce(async (changes, signal) => {
      const written = await write(changes, signal);
      await answered.promise;
      return written;
    });
    const changed = two.records.update('b', set(1), never);
    await soon();
    await one.records.update('a', set(1), never);

    const refreshed = two.records.refresh(never);
    answered.resolve();
    await refreshed;

    expect(await changed).toBe('nothing');
    expect(two.records.get('a')).toEqual({ count: 1 });
  });

  describe('while the store cannot be reached', () => {
    it('a change waits, which is logged once, and is made when the store is reachable again', async () => {
      const store = new MemoryStore();
      const { records, logged } = open(store);
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
      expect(logged()).toEqual(['warn tally cannot be reached, counters wait', 'info tally is reachable again']);
    });

    it('is logged once, also when reads work and writes fail', async () => {
      const store = new MemoryStore();
      const view = store.view();
      const write = vi.spyOn(view, 'write').mockRejectedValue(new Error('no space left'));
      const { records, logged } = open(view);
      await records.ready(never);
      const changed = records.update('a', set(1), never);

      await vi.advanceTimersByTimeAsync(300_000);
      expect(records.problem).toBe('memory: no space left');
      expect(write.mock.calls.length).toBeLessThan(20);
      write.mockRestore();
      await vi.advanceTimersByTimeAsync(30_000);

      expect(await changed).toBe('nothing');
      expect(logged()).toEqual(['warn tally cannot be reached, counters wait', 'info tally is reachable again']);
    });

    it('one who waits for it to be read waits on, or gives up', async () => {
      const store = new MemoryStore();
      store.trouble = new Error('connection refused');
      const { records } = open(store);
      const ready = vi.fn<() => void>();
      const asker = new AbortController();
      const given = records.ready(asker.signal);
      const waiting = records.ready(never).then(ready);

      await vi.advanceTimersByTimeAsync(60_000);
      asker.abort();
      await given;
      expect(ready).not.toHaveBeenCalled();
      store.trouble = undefined;
      await vi.advanceTimersByTimeAsync(30_000);
      await waiting;

      expect(ready).toHaveBeenCalledOnce();
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

    it('it is tried after a growing delay, which starts again once it was reached', async () => {
      const store = new MemoryStore();
      const view = store.view();
      const read = vi.spyOn(view, 'read');
      const { records } = open(view);
      const readsIn = async (ms: number): Promise<number> => {
        read.mockClear();
        await vi.advanceTimersByTimeAsync(ms);
        return read.mock.calls.length;
      };
      store.trouble = new Error('connection refused');
      const ready = records.ready(never);

      expect(await readsIn(10_000)).toBe(4);
      expect(await readsIn(300_000)).toBeLessThan(14);
      store.trouble = undefined;
      await vi.advanceTimersByTimeAsync(30_000);
      await ready;
      store.trouble = new Error('connection refused');
      void records.update('a', set(1), never);

      expect(await readsIn(10_000)).toBe(3);
      store.trouble = undefined;
    });

    it('its end tries once more at once', async () => {
      const store = new MemoryStore();
      const { records, end, logged } = open(store);
      await records.ready(never);
      store.trouble = new Error('connection refused');
      const changed = records.update('a', set(1), never);
      await vi.advanceTimersByTimeAsync(310_000);

      store.trouble = undefined;
      await end();

      expect(await changed).toBe('nothing');
      expect(store.values()).toEqual([{ count: 1 }]);
      expect(logged().at(-1)).toBe('info tally is reachable again');
    });

    it('its end is not delayed for long, and lost changes are logged', async () => {
      const store = new MemoryStore();
      const { records, log, end } = open(store);
      await records.update('a', set(1), never);
      store.trouble = new Error('connection refused');
      records.note('a', () => ({ count: 9 }));

      await end();

      expect(log.lines.at(-1)).toMatchObject({
        level: 'error',
        message: 'the last changes of the tally were not written',
        fields: { place: 'memory', err: store.trouble },
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
    expect(store.values()).toEqual([{ count: 1 }]);
  });

  it('writes what is left at its end', async () => {
    const store = new MemoryStore();
    const { records, end } = open(store);
    await records.update('a', set(1), never);

    records.note('a', () => ({ count: 9 }));
    await end();

    expect(store.values()).toEqual([{ count: 9 }]);
  });

  describe('with a store that refuses', () => {
    it('goes on in memory, and reports what it needs', async () => {
      const store = new MemoryStore();
      store.refusal = new Error('forbidden');
      const { records, log } = open(store);

      await records.ready(never);
      const result = await records.update('a', set(1), never);
      records.note('a', () => ({ count: 2 }));
      await records.refresh(never);

      expect(result).toBe('nothing');
      expect(records.get('a')).toEqual({ count: 2 });
      expect(records.isKept).toBe(false);
      expect(records.problem).toBe('memory: forbidden; it needs a better store');
      expect(log.lines).toMatchObject([
        {
          level: 'error',
          message: 'tally cannot be persisted, counts are lost',
          fields: { place: 'memory', advice: 'a better store' },
        },
      ]);
    });

    it('makes a note once that it could not write', async () => {
      const store = new MemoryStore();
      const { records } = open(store);
      await records.update('a', set(1), never);
      store.refusal = new Error('forbidden');

      records.note('a', ({ count }) => ({ count: count + 1 }));
      await soon();

      expect(records.isKept).toBe(false);
      expect(records.get('a')).toEqual({ count: 2 });
    });

    it('writes its records as soon as the store accepts them, without a request', async () => {
      const store = new MemoryStore();
      const { records, log } = open(store);
      await records.update('a', set(1), never);
      store.refusal = new Error('forbidden');
      await records.update('a', set(5), never);
      store.refusal = undefined;

      await vi.advanceTimersByTimeAsync(61_000);

      expect(records.isKept).toBe(true);
      expect(records.problem).toBeUndefined();
      expect(store.values()).toEqual([{ count: 5 }]);
      expect(log.lines.at(-1)).toMatchObject({ level: 'info', message: 'tally is persisted again' });
    });

    it('loses no change that comes while the store is tried again', async () => {
      const store = new MemoryStore();
      const view = store.view();
      const { records } = open(view);
      await records.update('a', set(1), never);
      store.refusal = new Error('forbidden');
      await records.update('a', set(5), never);
      store.refusal = undefined;
      const read = vi.spyOn(view, 'read');
      let changed: Promise<unknown> | undefined;
      read.mockImplementationOnce(async (signal) => {
        changed = records.update('a', set(6), never);
        records.note('a', (known) => ({ ...known, at: 7 }));
        read.mockRestore();
        return view.read(signal);
      });

      await vi.advanceTimersByTimeAsync(61_000);

      expect(await changed).toBe(5);
      expect(records.get('a')).toEqual({ count: 6, at: 7 });
      expect(store.values()).toEqual([{ count: 6, at: 7 }]);
    });

    it('logs that once, also when it can be read or is unreachable for a while', async () => {
      const store = new MemoryStore();
      const view = store.view();
      const refusal = { type: 'refused', error: new Error('forbidden'), advice: 'a better store' } as const;
      vi.spyOn(view, 'write').mockResolvedValue(refusal);
      const { records, logged } = open(view);
      await records.update('a', set(1), never);

      await vi.advanceTimersByTimeAsync(100_000);
      store.trouble = new Error('connection refused');
      await vi.advanceTimersByTimeAsync(100_000);

      expect(await records.update('a', set(2), never)).toBe(1);
      expect(records.isKept).toBe(false);
      expect(logged()).toEqual(['error tally cannot be persisted, counts are lost']);
    });

    it('ends at once', async () => {
      const store = new MemoryStore();
      store.refusal = new Error('forbidden');
      const view = store.view();
      const read = vi.spyOn(view, 'read');
      const records = new Kept<Counter>({ store: view, codec, words, log: recordingLogger() });
      const controller = new AbortController();
      const ended = records.run(controller.signal);
      await records.ready(never);

      controller.abort();
      await ended;

      expect(vi.getTimerCount()).toBe(0);
      expect(read).toHaveBeenCalledOnce();
    });
  });

  it('sets aside what it cannot parse, logs that, and starts with an empty record', async () => {
    const store = new MemoryStore();
    const first = open(store);
    await first.records.update('good', set(1), never);
    await first.end();
    store.texts.set('bad', '{"count": ');

    const { records, log } = open(store);
    await records.ready(never);

    expect(records.get('good')).toEqual({ count: 1 });
    expect(records.get('bad')).toBeUndefined();
    expect(records.get('bad.corrupt')).toBeUndefined();
    expect(store.texts.get('bad.corrupt')).toBe('{"count": ');
    expect(log.lines).toMatchObject([
      {
        level: 'warn',
        message: 'a counter cannot be read, starting with an empty one',
        fields: { key: 'bad', keptAs: 'bad.corrupt', content: '{"count": ' },
      },
    ]);
    await records.update('bad', set(3), never);
    expect(records.get('bad')).toEqual({ count: 3 });
  });
});
