import type { Command } from 'commander';
import type { CheckFlags, RunFlags } from '../local-commands.ts';
import { devOptions, startOptions } from '../options/options.ts';
import { CHECK_FORMATS } from '../options/output-format.ts';
import type { Flags } from '../options/resolve.ts';
import { addOptions } from './add-options.ts';
import { CHECK_HELP, COMPLETION_HELP, DEV_HELP, RUN_HELP, START_HELP } from './help.ts';
import { startHooks } from './start-hooks.ts';

/** Takes the exit code of a command. */
type Exit = (code: number) => void;

/** `hooklet start`, which is also what hooklet does without a command. */
export function addStart(program: Command, exit: Exit): void {
  const command = program
    .command('start')
    .description('run the hooks against a cluster; also what hooklet does without a command, except on a terminal');
  addOptions(command, startOptions);
  command.addHelpText('after', START_HELP);
  command.action(async (flags: Flags) => exit(await startHooks(flags)));
}

/** `hooklet dev`. */
export function addDev(program: Command, exit: Exit): void {
  const manifests: string[] = [];
  const command = program
    .command('dev')
    .argument('[hooks-dir]', 'folder of hooks (default: that of start)')
    .description('run the hooks against a Kubernetes API server in memory; edited hooks and manifests are reloaded')
    .option(
      '--manifests <path>',
      'file or folder of YAML files to apply; may be repeated (default: manifests in the hooks folder)',
      (path) => {
        manifests.push(path);
        return path;
      },
    )
    .option(
      '--against <context>',
      'context of a kubeconfig: the hooks see that cluster, and write only to the one in memory',
    )
    .option('--port <port>', 'port of the API server (default: a free one)')
    .option('--kubeconfig <file>', 'file to write the kubeconfig to, for other terminals; removed at the end')
    .option(
      '--data <file>',
      'file that stores the cluster for the next start (default: the cluster is lost at the end)',
    );
  const { hooksDir, listenAddress, listenPort, uiPort, logLevel, logFormat, logProxyHookJson } = devOptions;
  const { plainExitCodes, backgroundLimitMs, keepTmpFiles, tmpDir, debugUnixSocket } = devOptions;
  const { runHistory, record, recordBytes } = devOptions;
  addOptions(command, { hooksDir, listenAddress, listenPort, uiPort, logLevel, logFormat, logProxyHookJson });
  addOptions(command, { plainExitCodes, backgroundLimitMs, keepTmpFiles, tmpDir, debugUnixSocket });
  addOptions(command, { runHistory, record, recordBytes });
  command.addHelpText('after', DEV_HELP);
  command.action(async (given: string | undefined, flags: Flags) => {
    const { dev } = await import('../dev/dev.ts');
    exit(await dev(given, flags, manifests));
  });
}

/** `hooklet check`. */
export function addCheck(program: Command, exit: Exit): void {
  program
    .command('check')
    .argument('[paths...]', 'folders of hooks, or files (default: the folder of start)')
    .description('find all problems of hooks without a cluster; exit code 1 when there are any')
    .option('-o, --output <format>', `one of ${CHECK_FORMATS.join(', ')} (default text)`)
    .option('--allow-skipped', 'only warn about skipped files and folders without hooks')
    .option('--shards', 'find what start --shards refuses too, and tell which replicas run what')
    .addHelpText('after', CHECK_HELP)
    .action(async (paths: readonly string[], flags: CheckFlags) => {
      const { checkCommand } = await import('../local-commands.ts');
      exit(await checkCommand(paths, flags));
    });
}

/** `hooklet run`. */
export function addRun(program: Command, exit: Exit): void {
  program
    .command('run')
    .argument('<hook>', 'file of the hook')
    .description('run one hook once, for an event or with contexts of your own, and print what it would apply')
    .option('--event <name>', 'one of Added, Modified, Deleted, Reconcile, Synchronization, Schedule, onStartup')
    .option(
      '--object <file>',
      'YAML or JSON: the object of the event, then the other objects of the cluster; - for standard input',
    )
    .option('--binding <name>', 'binding of the event (default: the one that watches the object)')
    .option('--context <file>', 'JSON array of binding contexts, - for standard input')
    .addHelpText('after', RUN_HELP)
    .action(async (hook: string, flags: RunFlags) => {
      const { runCommand } = await import('../local-commands.ts');
      exit(await runCommand(hook, flags));
    });
}

/** `hooklet completion`. */
export function addCompletion(program: Command): void {
  program
    .command('completion')
    .argument('<shell>', 'one of bash, zsh, fish')
    .description('print a script that completes commands, flags and files')
    .addHelpText('after', COMPLETION_HELP)
    .action(async (shell: string) => {
      const { completionScript } = await import('../completion/completion.ts');
      process.stdout.write(completionScript(program, shell));
    });
}
