import type { Command } from 'commander';
import { printable } from '../../lib/printable.ts';
import type { ControlIo } from './client.ts';

/** Flags by name. */
export type GivenFlags<Name extends string> = Readonly<Record<Name, string | undefined>>;

/** The flags that determine the control socket. */
export type SocketFlags = GivenFlags<'debugUnixSocket' | 'tmpDir'>;

/** Adds the options of `hooklet start` that determine the control socket; `example` is shown in the help, default the command. */
export function asking(command: Command, example?: string): Command {
  return command
    .option('--debug-unix-socket <path>', 'socket of the operator (env HOOKLET_DEBUG_UNIX_SOCKET, DEBUG_UNIX_SOCKET)')
    .option('--tmp-dir <dir>', 'its temporary folder, which contains the default socket (env HOOKLET_TMP_DIR)')
    .addHelpText('after', () => askingHelp(example ?? wordsOf(command)));
}

/** Calls a command with the operator at the socket; what the operator refuses is printed, with exit code 1. */
export async function askOperator(
  { debugUnixSocket, tmpDir }: SocketFlags,
  run: (io: ControlIo) => Promise<number>,
): Promise<number> {
  const [{ controlClient, withOperator }, { askedSocket }, { startOptions }, { resolveOptions }, { shutdownSignal }] =
    await Promise.all([
      import('./client.ts'),
      import('./socket.ts'),
      import('../options/options.ts'),
      import('../options/resolve.ts'),
      import('../shutdown.ts'),
    ]);
  const specs = { debugUnixSocket: startOptions.debugUnixSocket, tmpDir: startOptions.tmpDir };
  const path = askedSocket(resolveOptions(specs, { debugUnixSocket, tmpDir }, process.env));
  let signal: AbortSignal | undefined;
  const io: ControlIo = {
    client: controlClient(path),
    stdout: (text) => process.stdout.write(printable(text)),
    stderr: (text) => process.stderr.write(printable(text)),
    raw: (output) => process.stdout.write(output),
    now: Date.now,
    // A command that does not ask for it ends at once.
    get signal() {
      return (signal ??= shutdownSignal(() => {}));
    },
  };
  return withOperator(run, io);
}

function askingHelp(example: string): string {
  return `
Ask where the operator runs, such as: kubectl exec deployment/hooklet -- hooklet ${example}
`;
}

function wordsOf(command: Command): string {
  const words = command.registeredArguments.filter(({ required }) => required).map((one) => one.name().toUpperCase());
  for (let one: Command | null = command; one?.parent; one = one.parent) words.unshift(one.name());
  return words.join(' ');
}
