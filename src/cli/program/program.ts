import { isatty } from 'node:tty';
import { inspect } from 'node:util';
import { HookletError, UsageError } from '../../errors.ts';
import { openLineOutput } from '../../lib/line-output.ts';
import type { Command } from 'commander';
import { printable } from '../../lib/printable.ts';
import { addAuthor } from '../author/author-program.ts';
import { addDiff } from '../diff/diff-program.ts';
import { addExecRun } from '../exec-run/exec-run-program.ts';
import { addWork } from '../work/work-program.ts';
import { addFinalizers } from '../finalizers-program.ts';
import { PROGRAM_HELP } from './help.ts';
import { addCheck, addCompletion, addDev, addRun, addStart } from './hook-commands.ts';
import { addDead } from '../views/dead.ts';
import { addDebug } from '../views/debug-program.ts';
import { addLock } from '../lock/lock-program.ts';
import { addManifests } from '../deploy/program.ts';
import { addPause } from '../views/pause.ts';
import { addRbac } from '../rbac/rbac-program.ts';
import { addRender } from '../run/render-program.ts';
import { addReplay } from '../replay/replay-program.ts';
import { addSchedule } from '../schedule/schedule.ts';
import { addTest } from '../test/test-program.ts';
import { hiddenStartFlags, startFlags, withoutSwitchValues } from '../options/start-flags.ts';
import { startHooks } from './start-hooks.ts';
import { addViews } from '../views/views.ts';
import { version } from './version.ts';
import { addWebhooks } from '../webhooks/webhooks-program.ts';

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

async function dispatch(argv: readonly string[]): Promise<ExitCode> {
  // The reader closed the pipe, as in `hooklet jq … | head -1`.
  process.stdout.on('error', (error) => {
    if ('code' in error && error.code === 'EPIPE') process.exit(EXIT_CLOSED_PIPE);
    process.stderr.write(`hooklet: cannot write to standard output: ${error.message}\n`);
    process.exit(EXIT_NO_OUTPUT);
  });
  const [command, ...rest] = argv;
  // Hooks run these two for every event, and both have parsers of their own: commander is not loaded for them.
  if (command === 'jq') return (await import('../jq/jq.ts')).jqCommand(rest);
  if (command === 'filter') return (await import('../jq/filter.ts')).filterCommand(rest);
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
  addAuthor(program, exit);
  addStart(program, exit);
  addDev(program, exit);
  addCheck(program, exit);
  addRun(program, exit);
  addTest(program, exit);
  addRender(program, exit);
  addRbac(program, exit);
  addReplay(program, exit);
  addManifests(program, exit);
  addDiff(program, exit);
  addSchedule(program, exit);
  addDead(program, exit);
  addPause(program, exit);
  addViews(program, exit);
  addDebug(program, exit);
  addFinalizers(program, exit);
  addLock(program, exit);
  addWebhooks(program, exit);
  addWork(program, exit);
  addExecRun(program, exit);
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
