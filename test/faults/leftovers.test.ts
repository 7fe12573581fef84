import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { markProcesses } from '../support/fault-processes.ts';
import { CONFIG_MAPS_PATH, startFaultRig } from '../support/fault-rig.ts';
import { until } from '../support/operator-rig.ts';

const ROUNDS = 10;
setFlagsFromString('--expose_gc');
const collectGarbage: () => void = runInNewContext('gc');
/** How many idle connections a pool may keep. */
const KEPT_SOCKETS = 6;
const HEAP_MB = 8;
/** The spawner and the warm hook. A shell that has written its record may still be ending. */
const KEPT_PROCESSES = 2;

describe('faults', () => {
  it('leave no timers, sockets, files or processes behind, nor memory', { timeout: 180_000 }, async () => {
    const processes = markProcesses();
    const filesAtFirst = openFiles();
    const rig = await startFaultRig({ env: processes.env });
    const { sandbox, operator } = rig;
    const strike = async (value: string): Promise<void> => {
      sandbox.faults.add({ type: 'status', code: 500, path: CONFIG_MAPS_PATH, watch: true, times: 1 });
      sandbox.faults.add({ type: 'brokenLine', path: CONFIG_MAPS_PATH, watch: true, times: 1 });
      sandbox.dropWatches();
      await rig.put('a', value);
      await rig.caughtUp();
    };
    const runsEnd = async (): Promise<void> => until(() => expect(processes.pids()).toHaveLength(KEPT_PROCESSES));
    await strike('warm up');
    await runsEnd();
    const before = { files: openFiles(), timers: timers(), heap: heapMb() };

    for (let round = 0; round < ROUNDS; round++) {
      sandbox.dropWatches();
      await rig.put('a', String(round));
      await rig.caughtUp();
    }
    await strike('last');
    await runsEnd();

    expect(openFiles()).toBeLessThanOrEqual(before.files + KEPT_SOCKETS);
    expect(timers()).toBeLessThanOrEqual(before.timers + KEPT_SOCKETS);
    expect(heapMb()).toBeLessThan(before.heap + HEAP_MB);

    await operator.stop();
    expect(processes.pids()).toEqual([]);
    expect(readdirSync(join(operator.out, '..', 'tmp'))).toEqual([]);
    await rig[Symbol.asyncDispose]();
    await until(() => expect(openFiles()).toBeLessThanOrEqual(filesAtFirst));
  });

  it('are told of once in the log and once in the metrics', async () => {
    await using rig = await startFaultRig();
    const { sandbox, operator } = rig;

    sandbox.faults.add({ type: 'status', code: 503, path: CONFIG_MAPS_PATH, watch: true, times: 2 });
    sandbox.dropWatches();
    await rig.put('a', '1');
    await rig.caughtUp();

    const told = operator.lines.filter(({ level }) => level === 'warn' || level === 'error');
    expect(told.map(({ message, fields }) => `${message}: ${String(fields['reason'])}`)).toEqual([
      'watch interrupted: connection',
      'watch interrupted: server-error',
    ]);
    const metrics = await (await fetch(`${operator.url()}/metrics`)).text();
    const restarts = metrics.split('\n').filter((line) => /restarts?.*kind="ConfigMap"/.test(line));
    expect(restarts.map((line) => /reason="([^"]+)".* (\d+)$/.exec(line)?.slice(1).join(' '))).toEqual([
      'connection 1',
      'server-error 2',
    ]);
  });
});

function openFiles(): number {
  return readdirSync('/proc/self/fd').length;
}

function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
}

function heapMb(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}
