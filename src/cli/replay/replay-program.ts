import type { Command } from 'commander';
import type { ReplayFlags } from './replay.ts';

/** Adds `hooklet replay`. */
export function addReplay(program: Command, exit: (code: number) => void): void {
  program
    .command('replay')
    .argument('<file>', 'recording of a run, from hooklet runs export; - for standard input')
    .description(
      'run a hook again as it was recorded, on a sandbox, and show what differs; exit code 1 if anything does',
    )
    .option('--hooks <dir>', 'folder of hooks, as the operator had it (default: that of start)')
    .option('--objects <file>', 'YAML or JSON: further objects and CustomResourceDefinitions for the sandbox')
    .option('--ignore <part>', 'part that may differ, such as output; may be repeated', collected)
    .option('--contexts', 'only print the recorded binding contexts')
    .option('--keep', 'keep the folder with the kubeconfig and the contexts')
    .option('-o, --output <format>', 'one of text, json (default text)')
    .addHelpText('after', HELP)
    .action(async (file: string, flags: ReplayFlags) => {
      const { replayCommand } = await import('./replay.ts');
      exit(await replayCommand(file, flags));
    });
}

function collected(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

const HELP = `
The parts are exit, output, patch, metrics, result, admission and conversion. The clock is the real one. Values of Secrets
are marks such as masked-0123456789abcdef0.

Examples:
  hooklet runs export 05f8 -o run.json
  hooklet replay run.json --hooks hooks
  hooklet replay run.json --hooks hooks --ignore output -o json
`;
