import { isatty } from 'node:tty';
import { inspect } from 'node:util';
import { HookletError, UsageError } from '../errors.ts';
import { openLineOutput } from '../lib/line-output.ts';
import type { Command } from 'commander';
import { printable } from '../lib/printable.ts';
import { startSpawnerChild } from '../runner/spawner-child.ts';
import { addFinalizers } from './finalizers-program.ts';
import { CHECK_HELP, COMPLETION_HELP, DEV_HELP, PROGRAM_HELP, RUN_HELP, START_HELP } from './help.ts';
import { addDead } from './dead.ts';
import { addDebug } from './debug-program.ts';
import { addPause } from './pause.ts';
import type { CheckFlags, RunFlags } from './local-commands.ts';
import { addRender } from './render-program.ts';
import type { OptionSpec } from './option-spec.ts';
import { devOptions, startOptions } from './options.ts';
import type { Flags } from './resolve-options.ts';
import { CHECK_FORMATS } from './output-format.ts';
import { addSchedule } from './schedule.ts';
import { hiddenStartFlags, startFlags, withoutSwitchValues } from './start-flags.ts';
import { addViews } from './views.ts';
import { version } from './version.ts';
import { addWebhooks } from './webhooks-program.ts';

/** Exit codes: 0 done, 1 problems found or a failure, 2 wrong usage; `hooklet jq` has those of jq. */
type ExitCode = number;

// 128 + SIGPIPE, as a shell reports a program that wrote to a closed pipe.
const EXIT_CLOSED_PIPE = 141;
// As jq exits when it cannot write, such as to a full disk.
const EXIT_NO_OUTPUT = 2;
const UNREAD_LIMIT_MS = 1000;

/**
 * Runs the command line; resolves to the exit code. Without arguments it runs `start`, or prints the help on a
 * terminal. `onServed` is called at the end of `start`, so that the caller can exit without waiting for connections or
 * plugins that are still open.
 */
export async function main(
  given: readonly string[],
  isTerminal = isatty(0) && isatty(1),
  onServed: () => void = () => {},
): Promise<ExitCode> {
  try {
    // A person who types only the name wants help, and must not start an operator on the current kubectl context by
    // accident.
    const argv = given.length === 0 && isTerminal ? ['--help'] : given;
    const [command, ...rest] = withCommand(argv);
    if (command !== 'start') return await dispatch(argv);
    const flags = startFlags(rest);
    if (flags === undefined) return await dispatch([command, ...withoutSwitchValues(rest)]);
    return await startHooks(flags).finally(onServed);
  } catch (error) {
    return error instanceof HookletError ? explain(error) : crash(error);
  }
}

function explain(error: HookletError): ExitCode {
  process.stderr.write(`hooklet: ${printable(error.message)}\n`);
  if (error instanceof UsageError) process.stderr.write('See hooklet --help.\n');
  // If standard error is not read, do not wait for it forever.
  if (process.stderr.writableLength > 0) setTimeout(() => process.exit(), UNREAD_LIMIT_MS).unref();
  return error instanceof UsageError ? 2 : 1;
}

/** Reports a bug and exits, because whatever the bug left open could keep the process alive. */
function crash(error: unknown): never {
  openLineOutput(2).write(`hooklet: this is a bug, please report it: ${inspect(error)}\n`);
  process.exit(1);
}

async function startHooks({ logType, ...flags }: Flags): Promise<ExitCode> {
  // The spawner process starts while the rest is loaded.
  const spawner = startSpawnerChild(process.env);
  try {
    const { start } = await import('./start.ts');
    return await start(logType === undefined ? flags : { logFormat: logType, ...flags }, spawner);
  } finally {
    spawner.channel?.end();
  }
}

async function dispatch(argv: readonly string[]): Promise<ExitCode> {
  // The reader closed the pipe, as in `hooklet jq … | head -1`.
  process.stdout.on('error', (error) => {
    if ('code' in error && error.code === 'EPIPE') process.exit(EXIT_CLOSED_PIPE);
    process.stderr.write(`hooklet: cannot write to standard output: ${error.message}\n`);
    process.exit(EXIT_NO_OUTPUT);
  });
  const [command, ...rest] = argv;
  // Hooks run these two for every event, and both have parsers of their own: commander is not loaded for them.
  if (command === 'jq') return (await import('./jq.ts')).jqCommand(rest);
  if (command === 'filter') return (await import('./filter.ts')).filterCommand(rest);
  const { Command, CommanderError, Option } = await import('commander');
  let exitCode: ExitCode = 0;
  const program = createProgram(new Command('hooklet'), (code) => {
    exitCode = code;
  });
  const start = program.commands.find((one) => one.name() === 'start');
  for (const flag of hiddenStartFlags) start?.addOption(new Option(flag).hideHelp());
  try {
    await program.parseAsync(withCommand(argv), { from: 'user' });
    return exitCode;
  } catch (error) {
    // The parser has already printed its message or the help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    throw error;
  }
}

/** Adds `start` when there is no command, with or without flags. */
function withCommand(argv: readonly string[]): string[] {
  const [first = '--'] = argv;
  const isOwn = ['-h', '--help', '-V', '--version'].includes(first);
  return first.startsWith('-') && !isOwn ? ['start', ...argv] : [...argv];
}

function createProgram(program: Command, exit: (code: ExitCode) => void): Command {
  program
    .description(
      'Runs scripts when something happens in Kubernetes, on a schedule, at startup, when the API server asks (webhooks), or on an HTTP request.',
    )
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError('See hooklet --help.')
    .addHelpText('after', PROGRAM_HELP)
    .exitOverride()
    .configureHelp({ sortSubcommands: false });
  addStart(program, exit);
  addDev(program, exit);
  addCheck(program, exit);
  addRun(program, exit);
  addRender(program, exit);
  addSchedule(program, exit);
  addDead(program, exit);
  addPause(program, exit);
  addViews(program, exit);
  addDebug(program, exit);
  addFinalizers(program, exit);
  addWebhooks(program, exit);
  // Only for the help; `dispatch` handles them before the parser.
  program
    .command('filter <expression>')
    .description('read objects on standard input, print one filterResult per line')
    .option('--jsonpath', 'the expression is a jsonPathFilter');
  program
    .command('jq')
    .argument('<program>', 'jq program')
    .argument('[file...]', 'files of JSON')
    .description('run jq: -c -r -n -s -e --arg --argjson and more');
  addCompletion(program);
  program
    .command('version')
    .description('print the version')
    .action(() => {
      process.stdout.write(`hooklet ${version}\n`);
    });
  return program;
}

function addStart(program: Command, exit: (code: ExitCode) => void): void {
  const command = program
    .command('start')
    .description('run the hooks against a cluster; also what hooklet does without a command, except on a terminal');
  addOptions(command, startOptions);
  command.addHelpText('after', START_HELP);
  command.action(async (flags: Flags) => exit(await startHooks(flags)));
}

function addDev(program: Command, exit: (code: ExitCode) => void): void {
  const command = program
    .command('dev')
    .argument('[hooks-dir]', 'folder of hooks (default: that of start)')
    .description('run the hooks against a Kubernetes API server in memory; edited hooks and manifests are reloaded')
    .option('--manifests <dir>', 'folder of YAML files to apply (default: manifests in the hooks folder)')
    .option('--port <port>', 'port of the API server (default: a free one)')
    .option('--kubeconfig <file>', 'file to write the kubeconfig to, for other terminals; removed at the end')
    .option(
      '--data <file>',
      'file that stores the cluster for the next start (default: the cluster is lost at the end)',
    );
  const { hooksDir, listenAddress, listenPort, logLevel, logFormat, logProxyHookJson } = devOptions;
  const { plainExitCodes, backgroundLimitMs, keepTmpFiles, tmpDir, debugUnixSocket, runHistory } = devOptions;
  addOptions(command, { hooksDir, listenAddress, listenPort, logLevel, logFormat, logProxyHookJson });
  addOptions(command, { plainExitCodes, backgroundLimitMs, keepTmpFiles, tmpDir, debugUnixSocket, runHistory });
  command.addHelpText('after', DEV_HELP);
  command.action(async (given: string | undefined, flags: Flags) => {
    const { dev } = await import('./dev.ts');
    exit(await dev(given, flags));
  });
}

function addCheck(program: Command, exit: (code: ExitCode) => void): void {
  program
    .command('check')
    .argument('[paths...]', 'folders of hooks, or files (default: the folder of start)')
    .description('find all problems of hooks without a cluster; exit code 1 when there are any')
    .option('-o, --output <format>', `one of ${CHECK_FORMATS.join(', ')} (default text)`)
    .option('--allow-skipped', 'only warn about skipped files and folders without hooks')
    .addHelpText('after', CHECK_HELP)
    .action(async (paths: readonly string[], flags: CheckFlags) => {
      const { checkCommand } = await import('./local-commands.ts');
      exit(await checkCommand(paths, flags));
    });
}

function addRun(program: Command, exit: (code: ExitCode) => void): void {
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
      const { runCommand } = await import('./local-commands.ts');
      exit(await runCommand(hook, flags));
    });
}

function addCompletion(program: Command): void {
  program
    .command('completion')
    .argument('<shell>', 'one of bash, zsh, fish')
    .description('print a script that completes commands, flags and files')
    .addHelpText('after', COMPLETION_HELP)
    .action(async (shell: string) => {
      const { completionScript } = await import('./completion.ts');
      process.stdout.write(completionScript(program, shell));
    });
}

function addOptions(command: Command, specs: Readonly<Record<string, OptionSpec<unknown>>>): void {
  for (const { flag, description, defaultText, env } of Object.values(specs)) {
    const fallback = defaultText === '' || defaultText === 'false' ? '' : `default ${defaultText}; `;
    command.option(flag, `${description} (${fallback}env ${env.join(', ')})`);
  }
}
