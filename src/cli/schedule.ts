import type { Command } from 'commander';

type ExplainFlags = Readonly<Record<'from' | 'to' | 'zone' | 'count' | 'output', string | undefined>>;

const OUTPUT = ['-o, --output <format>', 'one of text, json, yaml (default text)'] as const;

/** Adds `hooklet schedule` and what is below it. */
export function addSchedule(program: Command, exit: (code: number) => void): void {
  const schedule = program.command('schedule').description('look at schedules, and change them in a running operator');
  addExplain(schedule, exit);
}

function addExplain(schedule: Command, exit: (code: number) => void): void {
  schedule
    .command('explain <crontab...>')
    .description('say what a crontab means and when it runs; needs no operator and no cluster')
    .option('--from <time>', 'first moment of the range (default now)')
    .option('--to <time>', 'last moment of the range (default: as many ticks as --count says)')
    .option('--zone <zone>', 'IANA time zone (default: that of the crontab, else of this machine)')
    .option('--count <n>', 'how many ticks at most (default 10, in a range 1000)')
    .option(...OUTPUT)
    .addHelpText('after', EXPLAIN_HELP)
    .action(async (crontab: readonly string[], flags: ExplainFlags) => {
      const { explainSchedule } = await import('./schedule-explain.ts');
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
