import type { Command } from 'commander';
import type { ControlIo } from '../control/client.ts';
import { asking, askOperator, type GivenFlags, type SocketFlags } from '../control/asking.ts';
import type * as commands from './commands.ts';

type Exit = (code: number) => void;
type Run = (loaded: typeof commands, io: ControlIo) => Promise<number>;

const OUTPUT = ['-o, --output <format>', 'one of text, json, yaml (default text)'] as const;

/** Adds `hooklet schedule` and its subcommands. */
export function addSchedule(program: Command, exit: Exit): void {
  const schedule = program.command('schedule').description('look at schedules, and change them in a running operator');
  addExplain(schedule, exit);
  asking(schedule.command('list').description('show all schedules: next, last, outcome'))
    .option(...OUTPUT)
    .action(async (flags: SocketFlags & GivenFlags<'output'>) => {
      exit(await ask(flags, async ({ listSchedules }, io) => listSchedules(flags.output, io)));
    });
  asking(schedule.command('trigger <hook> <binding>').description('run a schedule now and print the id of the run'))
    .option('--wait', 'wait for its end; exit code 0 when it succeeded, else 1')
    .action(async (hook: string, binding: string, flags: SocketFlags & { readonly wait?: boolean }) => {
      const isWaiting = flags.wait === true;
      exit(await ask(flags, async ({ triggerSchedule }, io) => triggerSchedule({ hook, binding }, isWaiting, io)));
    });
  for (const action of ['suspend', 'resume'] as const) {
    const isSuspended = action === 'suspend';
    const description = isSuspended ? 'leave out all ticks of a schedule until it is resumed' : 'let ticks come again';
    asking(schedule.command(`${action} <hook> <binding>`).description(description)).action(
      async (hook: string, binding: string, flags: SocketFlags) => {
        exit(await ask(flags, async ({ setSuspended }, io) => setSuspended({ hook, binding }, isSuspended, io)));
      },
    );
  }
}

async function ask(flags: SocketFlags, run: Run): Promise<number> {
  const loaded = await import('./commands.ts');
  return askOperator(flags, async (io) => run(loaded, io));
}

function addExplain(schedule: Command, exit: Exit): void {
  schedule
    .command('explain <crontab...>')
    .description('explain a crontab and print its next runs; needs no operator and no cluster')
    .option('--from <time>', 'first moment of the range (default now)')
    .option('--to <time>', 'last moment of the range (default: that of the last tick of --count)')
    .option('--zone <zone>', 'IANA time zone (default: that of the crontab, else of this machine)')
    .option('--count <n>', 'how many ticks at most (default 10, in a range 1000)')
    .option(...OUTPUT)
    .addHelpText('after', EXPLAIN_HELP)
    .action(async (crontab: readonly string[], flags: GivenFlags<'from' | 'to' | 'zone' | 'count' | 'output'>) => {
      const { explainSchedule } = await import('./explain.ts');
      process.stdout.write(explainSchedule({ ...flags, crontab, nowMs: Date.now() }));
      exit(0);
    });
}

const EXPLAIN_HELP = `
A time is now, a date, a date and a time in the zone, or one with an offset: 2026-03-29, 2026-03-29T02:30,
2026-03-29T01:30:00Z. A date means its whole day. Put the crontab into quotes.

Example:
  hooklet schedule explain '30 2 * * *' --zone Europe/Berlin --from 2026-03-28 --to 2026-03-30
`;
