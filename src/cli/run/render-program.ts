import type { Command } from 'commander';
import type { RenderFlags } from './render.ts';

/** Adds `hooklet render`. */
export function addRender(program: Command, exit: (code: number) => void): void {
  program
    .command('render')
    .argument('<hook>', 'file of the hook')
    .description('run one reconcile hook once on files, and print the children that it would make')
    .option('--object <file>', 'YAML or JSON: the parent, then other objects of the cluster; - for standard input')
    .option('--owned <file>', 'the children that are there: prints a diff to those that should be')
    .option('--watched <name=file>', 'objects of an entry of watches; may be repeated', collected)
    .option('--binding <name>', 'the reconcile binding (default: the one of the object)')
    .option('--finalizing', 'the parent is being deleted')
    .option('-o, --output <format>', 'one of yaml, json, diff (default yaml, with --owned diff)')
    .addHelpText('after', HELP)
    .action(async (hook: string, flags: RenderFlags) => {
      const { renderCommand } = await import('./render.ts');
      exit(await renderCommand(hook, flags));
    });
}

function collected(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

const HELP = `
Nothing is sent to a cluster. Standard output has the children alone, sorted; what else the hook said and asked is on
standard error. The answer is checked as the operator checks it; exit code 1 when it or the hook is wrong.

Examples:
  hooklet render hooks/notes.ts --object note.yaml
  hooklet render hooks/notes.ts --object note.yaml --owned children.yaml
  kubectl get note my-note -o yaml | hooklet render hooks/notes.ts --object - -o json
`;
