import type { Command } from 'commander';
import type { TestFlags } from './test-command.ts';

/** Adds `hooklet test`. */
export function addTest(program: Command, exit: (code: number) => void): void {
  const command = program
    .command('test')
    .argument('[files...]', 'files of scenarios, or folders (default: *.scenario.yaml and scenarios/*.yaml below here)')
    .description('run the stories of scenario files, each with an API server in memory and in virtual time')
    .option('--filter <regex>', 'only stories whose name matches')
    .option('-o, --output <format>', 'one of text, json, junit (default text)')
    .option('--timeline', 'print what happened in stories that passed, too')
    .option('--watch', 'run again when a scenario, a hook or a manifest changes')
    .option('--update', 'write what was found into the files in place of what was expected')
    .option('--bail', 'begin no other story after one that failed')
    .option('--jobs <n>', 'stories at the same time (default: the number of cores)')
    .option('--seed <text>', 'another source of uids and generated names, which are the same each time (default 1)')
    .option('--schema', 'print the JSON Schema of a scenario file, for editors');
  for (const [kind, description] of Object.entries(PERTURBATIONS)) command.option(`--${kind}`, description);
  command
    .option('--all', 'all of these perturbations')
    .option('--no-perturb', 'none of them, also where the file asks for some')
    .option('--plans <n>', 'at most this many plans of perturbations for a story')
    .option('--plan <text>', 'exactly the one plan that an earlier report named')
    .option('--write-findings', 'write each finding as a scenario file, which fails until the hook is mended')
    .addHelpText('after', HELP)
    .action(async (files: readonly string[], flags: TestFlags) => {
      const { testCommand } = await import('./test-command.ts');
      exit(await testCommand(files, flags));
    });
}

const PERTURBATIONS = {
  twice: 'each binding runs a second time, which must write nothing',
  crash: 'hooklet and its hooks are killed after each effect, once',
  skip: 'each event is missed, once',
  stale: 'an older state is seen, once from each event on',
  double: 'each event comes twice, once',
  refuse: 'each request is refused, or not answered, once',
  misuse: 'each field of a custom resource is set, changed, removed and wrong',
  app: 'each call of a stand-in fails, or says nothing, once',
};

const HELP = `
A scenario file is YAML with one or more stories: what is given, what happens, and what is expected. A perturbation needs
no expectation: the same story undisturbed is what must come out. See docs/testing.md.

Exit codes: 0 all passed, 1 some failed, 2 a file that cannot be used, or wrong usage; 130 ended by Ctrl-C.

Examples:
  hooklet test                                all scenario files below here
  hooklet test scenarios/copies.yaml --watch  again at each change
  hooklet test --all                          with all perturbations
  hooklet test -o junit > report.xml          for CI
`;
