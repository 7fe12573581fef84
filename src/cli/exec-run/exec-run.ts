import { JOB_FOLDER } from '../../hook/job-desk.ts';
import type { RemoteLine } from '../../hook/remote-run.ts';
import { openLineOutput } from '../../lib/line-output.ts';
import { printableLine } from '../../lib/printable.ts';
import { startOptions } from '../options/options.ts';
import { resolveOptions } from '../options/resolve.ts';
import { shutdownSignal } from '../shutdown.ts';
import type { Agent } from './agent.ts';
import { hookEnvironment, readJobEnvironment } from './environment.ts';
import { isReady } from './job-folder.ts';
import { AGENT_TIMES, type AgentTimes } from './times.ts';

export interface ExecRunFlags {
  readonly sidecar?: boolean;
  readonly ready?: boolean;
  readonly folder?: string;
}

/** What a test sets. */
export interface ExecRunOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly times?: Partial<AgentTimes>;
  readonly stop: AbortSignal;
  readonly write: (stream: RemoteLine['stream'], text: string) => void;
}

/** `hooklet exec-run`: resolves to the exit code. */
export async function execRunCommand(flags: ExecRunFlags): Promise<number> {
  if (flags.ready === true) return isReady(flags.folder ?? JOB_FOLDER) ? 0 : 1;
  const outputs = { stdout: openLineOutput(1), stderr: openLineOutput(2) };
  const write: ExecRunOptions['write'] = (stream, text) => outputs[stream].write(text);
  const stop = shutdownSignal((name) => write('stderr', `hooklet: ${name}: this Pod is to end\n`));
  return execRun(flags, { env: process.env, stop, write });
}

/** Executes the run of a Job, or serves it as a sidecar; throws `UsageError` where the environment is no Job's. */
export async function execRun(flags: ExecRunFlags, { env, times, stop, write }: ExecRunOptions): Promise<number> {
  const agent: Agent = {
    environment: readJobEnvironment(env),
    times: { ...AGENT_TIMES, ...times },
    say: (text) => write('stderr', `hooklet: ${printableLine(text)}\n`),
    stop,
  };
  if (flags.sidecar === true) {
    return (await import('./run-sidecar.ts')).runSidecar(agent, flags.folder ?? JOB_FOLDER);
  }
  const { hooksDir, tmpDir } = startOptions;
  const options = resolveOptions({ hooksDir, tmpDir }, {}, env);
  const { runImage } = await import('./run-image.ts');
  return runImage({ ...agent, ...options, hookEnv: hookEnvironment(env), write });
}
