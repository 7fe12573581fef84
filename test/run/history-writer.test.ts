import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { HistoryWriter } from '../../src/run/history-writer.ts';
import { packRecord } from '../../src/run/kept-records.ts';
import type { RunRecord } from '../../src/hook/run-record.ts';
import { recordingLogger } from '../support/recording-logger.ts';

function recordOf(id: string) {
  const time = '2026-01-05T03:00:00.000Z';
  const where = { hook: 'hook.sh', binding: '', queue: 'main', reason: 'onStartup', attempt: 1, objects: [] };
  const record: RunRecord = {
    id,
    ...where,
    queued: time,
    started: time,
    waitedMs: 0,
    outcome: 'succeeded',
    patches: [],
    lines: 1,
  };
  return packRecord(record, [{ stream: 'stdout', line: 'x'.repeat(700) }]);
}

/** A writer under virtual time; `answer` says what becomes of a batch. */
function rig(answer: (lines: string) => Promise<void>, limits = {}) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const log = recordingLogger();
  const end = new AbortController();
  const batches: string[][] = [];
  let dropped = 0;
  const append = async (lines: string): Promise<void> => {
    await answer(lines);
    batches.push(
      lines
        .trim()
        .split('\n')
        .map((line) => String(JSON.parse(line).id)),
    );
  };
  const folder = { path: '/runs', append };
  const writer = new HistoryWriter({ folder, onDropped: (records) => (dropped += records), log, limits });
  const running = writer.run(end.signal);
  const stop = async (): Promise<void> => {
    end.abort();
    await vi.advanceTimersByTimeAsync(5000);
    await running;
  };
  return { writer, log, batches, end, running, stop, dropped: () => dropped };
}

describe('the writer of the history', () => {
  it('writes the records of 200 ms together', async () => {
    const { writer, batches, stop } = rig(async () => {});
    writer.push(recordOf('a'));
    writer.push(recordOf('b'));
    await vi.advanceTimersByTimeAsync(199);
    expect(batches).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(batches).toEqual([['a', 'b']]);
    await stop();
  });

  it('writes what is left at the end', async () => {
    const { writer, batches, stop } = rig(async () => {}, { batchBytes: 1000 });
    for (const id of ['a', 'b', 'c']) writer.push(recordOf(id));
    await stop();
    expect(batches).toEqual([['a'], ['b'], ['c']]);
  });

  it('tries again what a full disk refused, drops the oldest beyond its limit, and says both once', async () => {
    let isFull = true;
    const refuse = async (): Promise<void> => {
      if (isFull) throw new Error('ENOSPC: no space left on device');
    };
    const { writer, batches, log, stop, dropped } = rig(refuse, { waitingBytes: 4500 });
    for (let index = 0; index < 10; index += 1) {
      writer.push(recordOf(`run-${index}`));
      await vi.advanceTimersByTimeAsync(5000);
    }
    expect(batches).toEqual([]);
    isFull = false;
    await vi.advanceTimersByTimeAsync(31_000);
    await stop();

    expect(batches).toEqual([['run-6', 'run-7', 'run-8', 'run-9']]);
    expect(dropped()).toBe(6);
    expect(log.lines.map(({ level, message, fields }) => [level, message, fields['records']])).toEqual([
      ['error', 'records of runs cannot be written, they are tried again', undefined],
      ['warn', 'records of runs were dropped, because they could not be written in time', 6],
    ]);
  });

  it('ends within 5 s where the disk does not answer, and says what was not written', async () => {
    const { writer, log, end, running } = rig(async () => new Promise(() => {}));
    writer.push(recordOf('a'));
    await vi.advanceTimersByTimeAsync(100);
    end.abort();
    await vi.advanceTimersByTimeAsync(5000);
    await running;
    expect(log.lines).toMatchObject([{ level: 'error', message: 'the last records of runs were not written' }]);
  });
});
