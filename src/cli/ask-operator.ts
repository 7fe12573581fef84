import type { Command } from 'commander';
import { printable } from '../lib/printable.ts';
import type { ControlClient } from './control-client.ts';

/** The flags that select the operator. */
export interface SocketFlags {
  readonly debugUnixSocket?: string | undefined;
  readonly tmpDir?: string | undefined;
}

/** The operator, streams and clock of a command. */
export interface AskIo {
  readonly client: Pick<ControlClient, 'ask'>;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  readonly now: () => number;
}

/** Adds the options of `hooklet start` that determine the control socket; `example` is a command without options. */
export function asksOperator(command: Command, example: string): Command {
  return command
    .option('--debug-unix-socket <path>', 'socket of the operator (env HOOKLET_DEBUG_UNIX_SOCKET, DEBUG_UNIX_SOCKET)')
    .option('--tmp-dir <dir>', 'its temporary folder, which contains the default socket (env HOOKLET_TMP_DIR)')
    .addHelpText(
      'after',
      `\nAsk where the operator runs, such as: kubectl exec deployment/hooklet -- hooklet ${example}\n`,
    );
}

/** Runs a command that asks the operator; a failure of that is printed, with exit code 1. */
export async function askOperator(
  { debugUnixSocket, tmpDir }: SocketFlags,
  run: (io: AskIo) => Promise<number>,
): Promise<number> {
  const [{ controlClient, ControlFailure }, { askedSocket }, { startOptions }, { resolveOptions }] = await Promise.all([
    import('./control-client.ts'),
    import('./control-socket.ts'),
    import('./options.ts'),
    import('./resolve-options.ts'),
  ]);
  const specs = { debugUnixSocket: startOptions.debugUnixSocket, tmpDir: startOptions.tmpDir };
  const path = askedSocket(resolveOptions(specs, { debugUnixSocket, tmpDir }, process.env));
  const stderr = (text: string): void => void process.stderr.write(printable(text));
  try {
    const stdout = (text: string): void => void process.stdout.write(printable(text));
    return await run({ client: controlClient(path), stdout, stderr, now: Date.now });
  } catch (error) {
    if (!(error instanceof ControlFailure)) throw error;
    stderr(`hooklet: ${error.message}\n`);
    return 1;
  }
}
