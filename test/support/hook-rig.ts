import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Hook } from '../../src/hook/binding.ts';
import type { LogFields } from '../../src/log.ts';
import type { ExecuteRequest, Execution, HookOutput } from '../../src/runner/executor.ts';
import { createOutputLog } from '../../src/runner/output-log.ts';
import { createRunFolder } from '../../src/runner/run-folder.ts';
import { createRunner, type RunnerOptions } from '../../src/runner/runner.ts';
import { createSpawner, type SpawnerOptions } from '../../src/runner/spawner.ts';
import { recordingLogger } from './recording-logger.ts';

export const hooksDir = fileURLToPath(new URL('../fixtures/hooks', import.meta.url));

/** A signal that never aborts. */
export const never: AbortSignal = new AbortController().signal;

/** A new temporary folder, removed with `using`. */
export function temporaryFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'hooklet-test-'));
  return { path, [Symbol.dispose]: () => removeFolder(path) };
}

/** Works even while a process that is about to end still writes. */
function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 10 });
}

interface RigRequest extends Pick<ExecuteRequest, 'hook' | 'contexts' | 'traceparent' | 'isAsked'> {
  readonly runId?: string;
  readonly fields?: LogFields;
}

/** A spawner and a runner on real processes; `mark` is in the environment of everything they start. */
export function hookRig(options: Partial<RunnerOptions> & { readonly spawnerOptions?: Partial<SpawnerOptions> } = {}) {
  const tmp = temporaryFolder();
  const folder = createRunFolder({ tmpDir: tmp.path, keepTmpFiles: false });
  const mark = `HOOKLET_TEST=${randomUUID()}`;
  const env = { ...process.env, HOOKLET_TEST: mark.slice(mark.indexOf('=') + 1), CUSTOM: 'from the operator' };
  const log = recordingLogger();
  const spawner = createSpawner({ folder: folder.path, env, log, ...options.spawnerOptions });
  const base = { spawner, folder: folder.path, keepTmpFiles: false, hooksDir, env, log, logProxyHookJson: false };
  const runner = createRunner({ ...base, ...options });
  const outputLog = createOutputLog({ logProxyHookJson: options.logProxyHookJson ?? false, log: options.log ?? log });
  const execute = async (
    { hook, runId = 'run-1', fields = {}, ...request }: RigRequest,
    signal: AbortSignal,
  ): Promise<Execution> => {
    const onOutput = (output: HookOutput): void => outputLog.output({ ...fields, hook: hook.name }, output);
    return runner.execute({ hook, runId, onOutput, ...request }, signal);
  };
  return {
    runner,
    /** Runs a hook once, and logs what it prints as the operator does. */
    execute,
    /** The same, but rejects with the error of a failed run. */
    async run(request: RigRequest, signal: AbortSignal) {
      const execution = await execute(request, signal);
      if (execution.type === 'failed') throw execution.error;
      return { ...execution.cost, outputs: execution.outputs };
    },
    spawner,
    log,
    mark,
    folder: folder.path,
    /** Command lines of the living processes that it has started. */
    processes: (): readonly string[] => commandLines(mark),
    /** Kills the spawner process as the kernel would. */
    killSpawner(): void {
      for (const pid of spawnerProcesses(mark)) process.kill(pid, 'SIGKILL');
    },
    /** What the hooks printed. */
    output: (): readonly unknown[] =>
      log.lines.filter(({ message }) => message === 'hook output').map(({ fields }) => fields['line']),
    async [Symbol.asyncDispose]() {
      await runner.close();
      await spawner.close();
      folder.remove();
      tmp[Symbol.dispose]();
    },
  };
}

/** A hook as the loader would create it from a fixture. */
export function fixtureHook(name: string, settings: Hook['settings'] = {}): Hook {
  const type = name.startsWith('run-warm') ? 'warm' : 'process';
  return { name, path: join(hooksDir, name), type, bindings: [], settings };
}

/** The file of a spawner process that ends at once. */
export function brokenEntry(folder: string): string {
  const file = join(folder, 'broken-entry.js');
  writeFileSync(file, 'process.exit(1)');
  return file;
}

/** The ids of the processes with `mark` in their environment. */
export function markedProcesses(mark: string): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && readProc(pid, 'environ').split('\0').includes(mark));
}

/** The spawners among them. */
export function spawnerProcesses(mark: string): readonly number[] {
  return markedProcesses(mark).filter((pid) => readProc(pid, 'cmdline').includes('spawner-process'));
}

function commandLines(mark: string): readonly string[] {
  return markedProcesses(mark)
    .map((pid) => readProc(pid, 'cmdline').replaceAll('\0', ' ').trim())
    .filter((line) => line !== '');
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}
