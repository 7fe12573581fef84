import type { Command } from 'commander';
import type { DiffFlags } from './diff.ts';

/** Adds `hooklet diff`. */
export function addDiff(program: Command, exit: (code: number) => void): void {
  program
    .command('diff')
    .argument('[hooks-dir]', 'folder of hooks (default: that of start)')
    .description('print what the hooks would change in the cluster now, by dry runs; exit code 1 when they would')
    .option('--kube-config <file>', 'kubeconfig (default: as kubectl)')
    .option('--kube-context <name>', 'context of the kubeconfig (default: the current one)')
    .option('--timeout <duration>', 'how long startup and Synchronizations may take (default 5m)')
    .option('-o, --output <format>', 'one of text, json (default text)')
    .addHelpText('after', HELP)
    .action(async (given: string | undefined, flags: DiffFlags) => {
      const { diffCommand } = await import('./diff.ts');
      exit(await diffCommand(given, flags));
    });
}

const HELP = `
The hooks run: those of onStartup, all Synchronizations, and reconcile hooks for each object. What they ask hooklet to
change is tried by the API server and not carried out. What they do by themselves, such as with kubectl, is NOT stopped:
they find HOOKLET_DRY_RUN=1 in their environment.

Exit codes:
  0  nothing would change
  1  something would change
  2  wrong usage, a hook failed or is broken, or not all was done in time
`;
