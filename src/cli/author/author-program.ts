import type { Command } from 'commander';
import type { InitFlags } from './init.ts';
import type { NewHookFlags } from './new-hook.ts';
import type { TypesFlags } from './types-command.ts';

type Exit = (code: number) => void;

/** Adds the commands with which authors begin: `init`, `new`, `schema` and `types`. */
export function addAuthor(program: Command, exit: Exit): void {
  addInit(program, exit);
  addNew(program, exit);
  addSchema(program, exit);
  addTypes(program, exit);
}

function addInit(program: Command, exit: Exit): void {
  program
    .command('init')
    .argument('[dir]', 'folder of the project (default: this one)')
    .description('make a project: hooks, a scenario, Dockerfile, manifests, README, CI file; overwrites nothing')
    .option('--template <name>', 'one of shell, typescript, python, operator, backup, webhook (default shell)')
    .addHelpText('after', INIT_HELP)
    .action(async (dir: string | undefined, flags: InitFlags) => {
      const { initProject } = await import('./init.ts');
      process.stdout.write(initProject(dir, flags));
      exit(0);
    });
}

function addNew(program: Command, exit: Exit): void {
  program
    .command('new')
    .description('add a file to a project')
    .command('hook <name>')
    .description('make a hook and its scenario; overwrites nothing')
    .requiredOption(
      '--on <what...>',
      'a kind such as Pod, or schedule, startup, webhook, http, reconcile; a kind may follow',
    )
    .option(
      '--lang <language>',
      'one of shell, typescript, python (default: that of the hooks that are there, else shell)',
    )
    .option('--hooks-dir <dir>', 'folder with hooks (default hooks)')
    .addHelpText('after', NEW_HELP)
    .action(async (name: string, flags: NewHookFlags) => {
      const { newHook } = await import('./new-hook.ts');
      process.stdout.write(newHook(name, flags));
      exit(0);
    });
}

function addSchema(program: Command, exit: Exit): void {
  program
    .command('schema')
    .argument('<what>', 'one of hook, scenario')
    .description('print the JSON Schema of the config of hooks or of scenario files, for editors')
    .action(async (what: string) => {
      const { schemaText } = await import('./schema.ts');
      process.stdout.write(schemaText(what));
      exit(0);
    });
}

function addTypes(program: Command, exit: Exit): void {
  program
    .command('types')
    .argument('<crd...>', 'files of CustomResourceDefinitions, YAML or JSON; - for standard input')
    .description('print TypeScript types of custom resources')
    .option('--out <file>', 'write them to a file')
    .addHelpText('after', TYPES_HELP)
    .action(async (files: readonly string[], flags: TypesFlags) => {
      const { typesCommand } = await import('./types-command.ts');
      exit(await typesCommand(files, flags));
    });
}

const INIT_HELP = `
Asks nothing. Files that are there with another text are listed, and then nothing is written.

  shell, typescript, python  a hook that keeps a ConfigMap with the names of the Services of its namespace
  operator                   a CustomResourceDefinition, and a hook in TypeScript that makes what its objects describe
  backup                     a dump of PostgreSQL each night, in shell
  webhook                    a hook in TypeScript that refuses Pods

Examples:
  hooklet init my-hooks
  hooklet init my-operator --template operator
  npm create hooklet my-hooks -- --template typescript
`;

const NEW_HELP = `
A kind is one that every cluster has, such as Pod or Deployment, or GROUP/VERSION/KIND. After webhook it is the kind of
the objects that are judged (default Pod), after reconcile the kind of the objects that describe what should be there.

Examples:
  hooklet new hook pods --on Pod
  hooklet new hook nightly --on schedule --lang python
  hooklet new hook labels --on webhook Deployment
  hooklet new hook pages --on reconcile example.com/v1/Page --lang typescript
`;

const TYPES_HELP = `
There is an interface for each version of each kind, and it is sorted, so that the same file gives the same text.

Example:
  hooklet types crds/*.yaml --out hooks/lib/kinds.ts
`;
