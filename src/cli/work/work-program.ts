import type { Command } from 'commander';
import { workOptions } from '../options/work-options.ts';
import type { Flags } from '../options/resolve.ts';
import { addOptions } from '../program/add-options.ts';

/** Adds `hooklet work`. */
export function addWork(program: Command, exit: (code: number) => void): void {
  const command = program
    .command('work')
    .description('execute runs of hooks with the executor workers, which it asks an operator for');
  addOptions(command, workOptions);
  command.addHelpText('after', HELP);
  command.action(async (flags: Flags) => {
    const { workCommand } = await import('./work.ts');
    exit(await workCommand(flags));
  });
}

const HELP = `
A worker has the image of the operator, with the same hooks. It writes nothing to the cluster: the operator applies what
its hooks wrote.

Example:
  hooklet work --operator https://hooklet-jobs.hooklet.svc:9682 --pool heavy --capacity 4
`;
