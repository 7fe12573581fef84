import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isJsonArray, isJsonObject, type Sandbox } from '@hooklet/sandbox';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { disordersOf, lastStates, sightingsOf, type Sighting } from '../support/fault-ledger.ts';
import { markProcesses } from '../support/fault-processes.ts';
import { configMap, statesIn } from '../support/fault-rig.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { kubeconfigFile } from '../support/kubeconfig-file.ts';
import { recordingHook, until } from '../support/operator-rig.ts';
import { startProgram, type Program } from '../support/program.ts';
import { within } from '../support/within.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e'];

describe('hooklet start', () => {
  it(
    'killed at any moment and started again gives hooks the last state of everything',
    { timeout: 180_000 },
    async () => {
      const sandbox = await sandboxForTest();
      const place = createPlace(sandbox);
      let count = 0;
      // Three moments: before the hook is loaded, and in the middle of its events.
      for (const events of [0, 3, 40]) {
        const program = place.start();
        await program.says(events === 0 ? 'hooklet starts' : '"hook":"hook.sh"');
        const before = place.sightings().length;
        while (events > 0 && place.sightings().length < before + events) {
          count++;
          await sandbox.apply(configMap(NAMES[count % NAMES.length] ?? '', String(count)));
          if (count % 7 === 0) await sandbox.delete(configMap('a', ''));
          await new Promise((resolve) => setImmediate(resolve));
        }
        program.signal('SIGKILL');
        await program.ended;
        await sandbox.apply(configMap('b', `while away ${count}`));
        await sandbox.delete(configMap('c', ''));
      }

      place.forget();
      const last = place.start();
      await until(async () => expect(lastStates(place.sightings())).toEqual(await statesIn(sandbox, 'default')));
      expect(disordersOf(place.sightings())).toEqual([]);
      await until(() => expect(place.processes.pids('spawner-process')).toHaveLength(1));
      // The run folders of the killed processes are removed during the first runs.
      await until(() =>
        expect(readdirSync(join(place.path, 'tmp')).toSorted()).toEqual([
          'hooklet.socket',
          expect.stringMatching(/^run-/),
        ]),
      );
      last.signal('SIGTERM');
      expect(await last.ended).toBe(0);
      expect(place.processes.pids()).toEqual([]);
      expect(readdirSync(join(place.path, 'tmp'))).toEqual([]);
    },
  );

  it('killed with SIGKILL leaves nothing behind within 2 s, not even a hook that ignores SIGTERM', async () => {
    const sandbox = await sandboxForTest();
    const place = createPlace(sandbox, `trap '' TERM; : > "$OUT/began"; sleep 600; sleep 600`);
    const program = place.start();
    await until(() => expect(existsSync(join(place.path, 'out', 'began'))).toBe(true));

    program.signal('SIGKILL');

    await within(2000, () => expect(place.processes.pids()).toEqual([]));
  });

  it('runs hooks again within 3 s when there is room for their files again', { timeout: 120_000 }, async () => {
    const sandbox = await sandboxForTest();
    const place = createPlace(sandbox);
    const program = place.start();
    await program.says('"event":"Synchronization"');

    // No file may exceed 16 KiB, as if the disk were full.
    limitFiles(program, '16384');
    await sandbox.apply(configMap('big', 'x'.repeat(30_000)));
    await program.says('its files could not be written');
    limitFiles(program, 'unlimited');

    await within(3000, () => expect(place.sightings().map(({ name }) => name)).toContain('big'));
    program.signal('SIGTERM');
    expect(await program.ended).toBe(0);
  });
});

interface Place {
  readonly path: string;
  readonly processes: ReturnType<typeof markProcesses>;
  start(): Program;
  sightings(): readonly Sighting[];
  /** Counts all sightings until now as those of an earlier operator. */
  forget(): void;
}

function createPlace(sandbox: Sandbox, body = ''): Place {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const { path } = folder;
  const hooks = join(path, 'hooks');
  const out = join(path, 'out');
  mkdirSync(hooks);
  mkdirSync(out);
  const namespace = { nameSelector: { matchNames: ['default'] } };
  const binding = { name: 'maps', apiVersion: 'v1', kind: 'ConfigMap', queue: 'maps', namespace };
  writeFileSync(join(hooks, 'hook.sh'), recordingHook({ configVersion: 'v1', kubernetes: [binding] }, body));
  chmodSync(join(hooks, 'hook.sh'), 0o755);
  const processes = markProcesses();
  const env = { ...processes.env, OUT: out, KUBECONFIG: kubeconfigFile(path, sandbox), NODE_COMPILE_CACHE: undefined };
  const flags = ['--hooks-dir', hooks, '--tmp-dir', join(path, 'tmp'), '--listen-port', '0', '--log-format', 'json'];
  let forgotten = 0;
  return {
    path,
    processes,
    start: () => startProgram(['start', ...flags, '--listen-address', '127.0.0.1'], { env }),
    sightings: () => sightingsOf(readRecords(join(out, 'hook.sh')).slice(forgotten).flat()),
    forget: () => {
      forgotten = readRecords(join(out, 'hook.sh')).length;
    },
  };
}

function readRecords(folder: string) {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => !name.startsWith('.'));
  return names.toSorted().map((name) => {
    const contexts: unknown = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    return isJsonArray(contexts) ? contexts.filter(isJsonObject) : [];
  });
}

function limitFiles({ pid }: Program, bytes: string): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);
}
