import type { Command } from 'commander';
import { asking, askOperator, type GivenFlags, type SocketFlags } from '../control/asking.ts';
import type { QueueListFlags } from './debug-commands.ts';
import type { ExportFlags } from '../replay/export-run.ts';
import type { RunListFlags } from './run-commands.ts';

type Exit = (code: number) => void;

const OUTPUT = ['-o, --output <format>', 'one of text, json (default text)'] as const;
const HOOK = ['--hook <name>', 'only of this hook'] as const;

/** Adds the commands that show what a running operator does: `status`, `runs`, `queue`, `objects` and `why`. */
export function addViews(program: Command, exit: Exit): void {
  asking(program.command('status').description('show what a running operator runs, what waits, and what fails'))
    .option(...OUTPUT)
    .action(async ({ output, ...flags }: SocketFlags & GivenFlags<'output'>) => {
      const { showStatus } = await import('./commands.ts');
      exit(await askOperator(flags, async (io) => showStatus(output, io)));
    });
  addRuns(program, exit);
  addQueue(program, exit);
  addObjects(program, exit);
  asking(program.command('why <hook> <object>').description('show which selector or filter decides about an object'))
    .option(...OUTPUT)
    .addHelpText('after', OBJECT_HELP)
    .action(async (hook: string, object: string, { output, ...flags }: SocketFlags & GivenFlags<'output'>) => {
      const { showWhy } = await import('./commands.ts');
      exit(await askOperator(flags, async (io) => showWhy(hook, { object, output }, io)));
    });
}

function addRuns(program: Command, exit: Exit): void {
  const runs = program.command('runs').description('show the last runs of each hook in a running operator');
  asking(runs.command('list').description('show runs, the newest first'))
    .option(...HOOK)
    .option('--object <name>', 'only about this object: NAMESPACE/NAME')
    .option('--failed', 'only those that failed')
    .option('--limit <n>', 'at most so many (default 50)')
    .option('-o, --output <format>', 'one of text, wide, json (default text)')
    .action(async ({ debugUnixSocket, tmpDir, ...flags }: SocketFlags & RunListFlags) => {
      const { listRuns } = await import('./run-commands.ts');
      exit(await askOperator({ debugUnixSocket, tmpDir }, async (io) => listRuns(flags, io)));
    });
  asking(runs.command('show <id>').description('show one run; the beginning of its id is enough'))
    .option(...OUTPUT)
    .action(async (id: string, { output, ...flags }: SocketFlags & GivenFlags<'output'>) => {
      const { showRun } = await import('./run-commands.ts');
      exit(await askOperator(flags, async (io) => showRun(id, output, io)));
    });
  asking(runs.command('logs <id>').description('print the end of what a run printed'))
    .option('-f, --follow', 'go on until the run ends')
    .action(async (id: string, { follow, ...flags }: SocketFlags & { readonly follow?: boolean }) => {
      const { printLogs } = await import('./run-commands.ts');
      exit(await askOperator(flags, async (io) => printLogs(id, follow === true, io)));
    });
  addExport(runs, exit);
}

function addExport(runs: Command, exit: Exit): void {
  asking(runs.command('export <id>').description('print the recording of a run, for hooklet replay'))
    .option('-o, --output <file>', 'file to write it to, which only you may read (default: standard output)')
    .option('--force', 'write over a file that is there')
    .action(async (id: string, { output, force, ...flags }: SocketFlags & ExportFlags) => {
      const { exportRun } = await import('../replay/export-run.ts');
      exit(await askOperator(flags, async (io) => exportRun(id, { output, force }, io)));
    });
}

function addQueue(program: Command, exit: Exit): void {
  const queue = program.command('queue').description('show the queues of a running operator');
  addQueueList(queue, exit);
  asking(queue.command('watch').description('show them whenever they change')).action(async (flags: SocketFlags) => {
    const { watchQueues } = await import('./commands.ts');
    exit(await askOperator(flags, watchQueues));
  });
}

function addQueueList(queue: Command, exit: Exit): void {
  asking(queue.command('list').description('show the queues that have tasks'))
    .option('-o, --output <format>', 'one of text, json, yaml (default text)')
    .option('-e, --show-empty', 'show empty queues too')
    .option('-w, --watch', 'show them again and again')
    .option('-t, --watchInterval <duration>', 'time between two with --watch (default 1s)')
    .addHelpText('after', QUEUE_HELP)
    .action(async ({ debugUnixSocket, tmpDir, ...flags }: SocketFlags & QueueListFlags) => {
      const [{ listQueues }, { dumpQueues, isDumpAsked }] = await Promise.all([
        import('./commands.ts'),
        import('./debug-commands.ts'),
      ]);
      exit(
        await askOperator({ debugUnixSocket, tmpDir }, async (io) =>
          isDumpAsked(flags) ? dumpQueues(flags, io) : listQueues(flags.output, io),
        ),
      );
    });
}

function addObjects(program: Command, exit: Exit): void {
  const objects = program.command('objects').description('show what became of the objects that hooks ran for');
  asking(objects.command('list').description('show the last outcome of each object'))
    .option(...HOOK)
    .option(...OUTPUT)
    .action(async ({ hook, output, ...flags }: SocketFlags & GivenFlags<'hook' | 'output'>) => {
      const { listObjects } = await import('./commands.ts');
      exit(await askOperator(flags, async (io) => listObjects(hook, output, io)));
    });
  asking(objects.command('show <object>').description('show one object, its children and the runs about it'))
    .option(...HOOK)
    .option(...OUTPUT)
    .addHelpText('after', OBJECT_HELP)
    .action(async (object: string, { hook, output, ...flags }: SocketFlags & GivenFlags<'hook' | 'output'>) => {
      const { showObject } = await import('./commands.ts');
      exit(await askOperator(flags, async (io) => showObject(object, { hook, output }, io)));
    });
}

const QUEUE_HELP = `
With -e, -w or -t, with -o yaml, and when called as shell-operator, the output is that of shell-operator.
`;

const OBJECT_HELP = `
An object is NAMESPACE/NAME or KIND/NAMESPACE/NAME; a cluster-scoped one NAME or KIND//NAME.
`;
