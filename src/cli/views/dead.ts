import type { Command } from 'commander';
import { asking, askOperator, type SocketFlags } from '../control/asking.ts';
import type { DeadFlags } from './dead-commands.ts';

type Exit = (code: number) => void;

/** Adds `hooklet dead` and its subcommands. */
export function addDead(program: Command, exit: Exit): void {
  const dead = program.command('dead').description('look at what hooks gave up, and run it again');
  filtered(dead.command('list').description('show what was given up, the last first'), 'dead list')
    .option('-o, --output <format>', 'one of text, wide, json (default text)')
    .action(async (flags: SocketFlags & DeadFlags) => {
      const { listDead } = await import('./dead-commands.ts');
      exit(await askOperator(flags, async (io) => listDead(flags, io)));
    });
  asking(dead.command('show <id>').description('print all that is known of one, as JSON'), 'dead list').action(
    async (id: string, flags: SocketFlags) => {
      const { showDead } = await import('./dead-commands.ts');
      exit(await askOperator(flags, async (io) => showDead(id, io)));
    },
  );
  acting(dead, 'retry', 'run it again, with the objects as they are now').action(
    async (ids: readonly string[], flags: SocketFlags & DeadFlags) => {
      const { retryDead } = await import('./dead-commands.ts');
      exit(await askOperator(flags, async (io) => retryDead(ids, flags, io)));
    },
  );
  acting(dead, 'drop', 'forget it').action(async (ids: readonly string[], flags: SocketFlags & DeadFlags) => {
    const { dropDead } = await import('./dead-commands.ts');
    exit(await askOperator(flags, async (io) => dropDead(ids, flags, io)));
  });
}

function acting(dead: Command, name: 'retry' | 'drop', description: string): Command {
  const command = dead.command(`${name} [id...]`).description(description);
  return filtered(command, `dead ${name} --all`).option('--all', 'all that there is');
}

function filtered(command: Command, example: string): Command {
  return asking(command, example)
    .option('--hook <hook>', 'only of this hook')
    .option('--reason <reason>', 'only with this reason, or with permanent or exhausted')
    .option('--object <object>', 'only about this object: namespace/name, or the name of a cluster-scoped one');
}
