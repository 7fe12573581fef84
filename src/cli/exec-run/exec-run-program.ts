import type { Command } from 'commander';
import type { ExecRunFlags } from './exec-run.ts';

/** Adds `hooklet exec-run`, which nobody types: it is what the containers of Jobs run. */
export function addExecRun(program: Command, exit: (code: number) => void): void {
  program
    .command('exec-run', { hidden: true })
    .description('execute the run of a Job: what hooklet runs in the Pods of hooks with settings.executor')
    .option('--sidecar', 'bring the files of the run to another container, and send what it wrote')
    .option('--folder <dir>', 'where these files are')
    .option('--ready', 'say by the exit code whether they are there')
    .action(async (flags: ExecRunFlags) => {
      const { execRunCommand } = await import('./exec-run.ts');
      exit(await execRunCommand(flags));
    });
}
