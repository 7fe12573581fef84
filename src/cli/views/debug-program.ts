import type { Command } from 'commander';
import { asking, askOperator, type GivenFlags, type SocketFlags } from '../control/asking.ts';
import type { ControlIo } from '../control/client.ts';
import type * as Commands from './debug-commands.ts';
import type { OptionSpec } from '../options/spec.ts';
import { ignoredOptions } from '../control/ignored-options.ts';
import { startOptions } from '../options/options.ts';
import { programName } from '../program/program-name.ts';

type Exit = (code: number) => void;

const OUTPUT = ['-o, --output <format>', 'one of text, json, yaml (default text)'] as const;

/**
 * Adds the debug commands of shell-operator: `hook`, `config`, `raw` and the hidden `debug-options`, and `main` to
 * `queue`.
 */
export function addDebug(program: Command, exit: Exit): void {
  const queue = program.commands.find((command) => command.name() === 'queue');
  if (queue !== undefined) addQueueMain(queue, exit);
  addHook(program, exit);
  addConfig(program, exit);
  asking(program.command('raw [urlpath]').description('print what the debug API answers to a path')).action(
    async (path: string | undefined, flags: SocketFlags) =>
      exit(await ask(flags, async ({ askRaw }, io) => askRaw(path ?? '/', io))),
  );
  program
    .command('debug-options', { hidden: true })
    .description('show the flags of start for debugging')
    .action(() => {
      process.stdout.write(debugOptionsText());
    });
}

function addQueueMain(queue: Command, exit: Exit): void {
  asking(queue.command('main').description('show the queue main, as shell-operator does'))
    .option(...OUTPUT)
    .action(async ({ output, ...flags }: SocketFlags & GivenFlags<'output'>) =>
      exit(await ask(flags, async ({ dumpMainQueue }, io) => dumpMainQueue(output, io))),
    );
}

function addHook(program: Command, exit: Exit): void {
  const hook = program.command('hook').description('show the hooks of a running operator');
  asking(hook.command('list').description('show their names'))
    .option(...OUTPUT)
    .action(async ({ output, ...flags }: SocketFlags & GivenFlags<'output'>) =>
      exit(await ask(flags, async ({ listHooks }, io) => listHooks(output, io))),
    );
  asking(hook.command('snapshot <hook>').description('show the snapshots of one, and how often they changed'))
    .option(...OUTPUT)
    .action(async (name: string, { output, ...flags }: SocketFlags & GivenFlags<'output'>) =>
      exit(await ask(flags, async ({ dumpSnapshots }, io) => dumpSnapshots(name, output, io))),
    );
}

function addConfig(program: Command, exit: Exit): void {
  const config = program.command('config').description('show and set what can be changed in a running operator');
  asking(config.command('list').description('show the parameters'))
    .option(...OUTPUT)
    .action(async ({ output, ...flags }: SocketFlags & GivenFlags<'output'>) =>
      exit(await ask(flags, async ({ listConfig }, io) => listConfig(output, io))),
    );
  asking(config.command('set <name> <value> [duration]').description('set one, such as log.level debug 10m')).action(
    async (name: string, value: string, duration: string | undefined, flags: SocketFlags) =>
      exit(await ask(flags, async ({ setConfig }, io) => setConfig({ name, value, duration }, io))),
  );
}

async function ask(
  flags: SocketFlags,
  run: (commands: typeof Commands, io: ControlIo) => Promise<number>,
): Promise<number> {
  const commands = await import('./debug-commands.ts');
  return askOperator(flags, async (io) => run(commands, io));
}

function debugOptionsText(): string {
  const specs: readonly Pick<OptionSpec<unknown>, 'flag' | 'description' | 'env'>[] = [
    ...Object.values(startOptions),
    ...Object.values(ignoredOptions).map(({ flag, env }) => ({ flag, env: [env], description: 'without effect' })),
  ];
  const shown = specs.filter(({ flag }) => flag.startsWith('--debug-')).toSorted((a, b) => (a.flag < b.flag ? -1 : 1));
  const lines = shown.map(
    ({ flag, description, env }) => `  ${flag.replace(/ .*/, '')}\n        ${description} (env ${env.join(', ')})\n`,
  );
  return `usage: ${programName()} start [flags]\n\nDebug flags:\n${lines.join('')}`;
}
