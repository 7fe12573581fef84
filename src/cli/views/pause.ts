import type { Command } from 'commander';
import { asking, askOperator, type SocketFlags } from '../control/asking.ts';
import type { PauseFlags } from './pause-commands.ts';

type Exit = (code: number) => void;

/** Adds `hooklet pause` and `hooklet resume`. */
export function addPause(program: Command, exit: Exit): void {
  const description = 'hold back the runs of a hook, a queue or an object; without these, list what is paused';
  targeted(program.command('pause [hook]').description(description), 'pause')
    .option('-o, --output <format>', 'of the list: one of text, json (default text)')
    .action(async (hook: string | undefined, flags: SocketFlags & PauseFlags) => {
      const { pause } = await import('./pause-commands.ts');
      exit(await askOperator(flags, async (io) => pause(hook, flags, io)));
    });
  targeted(program.command('resume [hook]').description('end a pause, and run what waited once'), 'resume HOOK').action(
    async (hook: string | undefined, flags: SocketFlags & PauseFlags) => {
      const { resume } = await import('./pause-commands.ts');
      exit(await askOperator(flags, async (io) => resume(hook, flags, io)));
    },
  );
}

function targeted(command: Command, example: string): Command {
  return asking(command, example)
    .option('--queue <queue>', 'a queue instead of a hook')
    .option('--object <object>', 'an object instead of a hook: [Kind/]namespace/name, or [Kind//]name')
    .option('--hook <hook>', 'with --object: for this hook alone');
}
