import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { newRecord } from '../../../src/sources/schedule/current-record.ts';
import { keptSchedules } from '../../../src/sources/schedule/records.ts';
import { scheduleBinding } from '../../support/bindings.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

const never = new AbortController().signal;
const record = { ...newRecord({ hook: 'hook.sh', id: 's', binding: scheduleBinding('s') }, 0), missed: 3 };

beforeEach(() => void vi.useFakeTimers());

afterEach(() => void vi.useRealTimers());

function open(store: MemoryStore) {
  const log = recordingLogger();
  const controller = new AbortController();
  const records = keptSchedules(store.view(), log);
  const ended = records.run(controller.signal);
  const end = async (): Promise<void> => {
    controller.abort();
    await vi.advanceTimersByTimeAsync(6000);
    await ended;
  };
  const write = async (): Promise<unknown> =>
    records.update('s', () => ({ record: { ...record }, result: undefined }), never);
  return { records, end, write, told: () => log.lines.map(({ level, message }) => `${level} ${message}`) };
}

describe('the records of schedules', () => {
  it('are written as JSON that a person can read, and read back', async () => {
    const store = new MemoryStore();
    const first = open(store);
    await first.write();
    await first.end();

    expect(store.values()).toMatchObject([{ hook: 'hook.sh', binding: 's', missed: 3, suspended: false }]);
    const second = open(store);
    await second.records.ready(never);
    expect(second.records.get('s')).toEqual(record);
    await second.end();
  });

  it('wait for a store that cannot be reached, which is told', async () => {
    const store = new MemoryStore();
    store.trouble = new Error('connection refused');
    const { end, write, told } = open(store);
    const written = write();
    await vi.advanceTimersByTimeAsync(5000);
    store.trouble = undefined;
    await vi.advanceTimersByTimeAsync(30_000);
    await written;
    store.trouble = new Error('connection refused');
    void write();
    await end();

    expect(told()).toEqual([
      'warn schedule state cannot be reached, schedules wait for it',
      'info schedule state is reachable again',
      'warn schedule state cannot be reached, schedules wait for it',
      'error the last changes of the schedule state were not written',
    ]);
  });

  it('do without a store that refuses, which is told', async () => {
    const store = new MemoryStore();
    store.refusal = new Error('forbidden');
    const { end, write, told } = open(store);
    await write();
    store.refusal = undefined;
    await vi.advanceTimersByTimeAsync(31_000);
    await end();

    expect(told()).toEqual([
      'error schedule state cannot be persisted, ticks missed while nobody is there are lost',
      'info schedule state is persisted again',
    ]);
    expect(store.values()).toMatchObject([{ missed: 3 }]);
  });

  it('that cannot be read start anew, which is told', async () => {
    const store = new MemoryStore();
    store.texts.set('s', '{"hook": "hook.sh"}');
    const { records, end, told } = open(store);
    await records.ready(never);
    await end();

    expect(records.get('s')).toBeUndefined();
    expect(store.texts.get('s.corrupt')).toBe('{"hook": "hook.sh"}');
    expect(told()).toEqual(['warn state of a schedule cannot be read, starting with an empty one']);
  });
});
