import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openHookTime } from '../../src/scenario/live/hook-time.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { shellHook, writeHooks } from '../support/world-hooks.ts';
import { only, worldRig } from '../support/world-rig.ts';

const folders = new DisposableStack();
const rig = worldRig();
afterAll(async () => {
  folders.dispose();
  await rig[Symbol.asyncDispose]();
});

const NOW = Date.parse('2026-03-01T00:30:05.120Z');

/** Runs the stand-in for `date` at 2026-03-01T00:30:05.120Z. */
function dating() {
  const { path: folder } = folders.use(temporaryFolder());
  const time = openHookTime({ folder, env: { PATH: process.env['PATH'] }, nowMs: NOW });
  const program = join(folder, 'date');
  writeFileSync(program, time.programs.get('date') ?? '', { mode: 0o755 });
  const env = { PATH: process.env['PATH'], TZ: 'Europe/Berlin', LC_ALL: 'C' };
  const run = (file: string, args: readonly string[]): string =>
    execFileSync(file, args, { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  return {
    date: (...args: string[]) => run(program, args),
    real: (...args: string[]) => run('date', args),
    time,
    folder,
  };
}

describe('the stand-in for date', () => {
  const { date, real, folder: own } = dating();

  it.each([
    [['+%s'], '1772325005'],
    [['+%F %T'], '2026-03-01 01:30:05'],
    [['-u', '+%Y%m%d-%H%M%S'], '20260301-003005'],
    [['+%H', '--utc'], '00'],
    [['-u', '+%s%3N'], '1772325005120'],
    [['-Iseconds'], '2026-03-01T01:30:05+01:00'],
    [['-u', '--rfc-3339=seconds'], '2026-03-01 00:30:05+00:00'],
    [['-d', 'now', '+%s'], '1772325005'],
    [['-d', 'yesterday', '+%F'], '2026-02-28'],
    [['-d', '7 days ago', '+%F'], '2026-02-22'],
    [['-d', '-1 day', '+%F %T'], '2026-02-28 01:30:05'],
    [['-u', '--date=-2 hours', '+%F %T'], '2026-02-28 22:30:05'],
    [['-u', '+%F', '-d', '+1 month'], '2026-04-01'],
    [['-d30days', '+%F %T'], '2026-03-31 01:30:05'],
    [['-d', 'last year', '+%Y'], '2025'],
    [['-d', 'tomorrow 03:00', '+%F %T'], '2026-03-02 03:00:00'],
    [['-d', 'yesterday 00:00', '+%F %T'], '2026-02-28 00:00:00'],
    [['-u', '-d', '03:00 tomorrow', '+%F %T'], '2026-03-02 03:00:00'],
    [['-d', '12:30', '+%F %T'], '2026-03-01 12:30:00'],
  ])('says for %j: %s', (args, said) => {
    expect(date(...args)).toBe(said);
  });

  it('says the time of the world without arguments', () => {
    expect(date()).toBe(real('-d', '@1772325005'));
  });

  it.each([
    [['-d', '@86400', '-u', '+%F']],
    [['-u', '-d', '2030-05-05 10:00', '+%s']],
    [['-u', '-r', '/', '+%F']],
    [['--version']],
  ])('leaves %j to the real one', (args) => {
    expect(date(...args)).toBe(real(...args));
  });

  it.each(['next friday', 'friday 03:00', 'May 5', 'monday'])(
    'refuses %j, which the real one has from its own time',
    (given) => {
      const { status, stderr } = spawnSync(join(own, 'date'), ['-d', given], { encoding: 'utf8' });

      expect([status, stderr]).toEqual([
        1,
        expect.stringContaining(`date: got -d '${given}', which a story does not know`),
      ]);
    },
  );

  it('fails as the real one does', () => {
    expect(() => date('-d', 'rubbish')).toThrow('Command failed');
    expect(() => date('-d')).toThrow('Command failed');
  });

  it('follows the world', () => {
    const { date: own, time } = dating();
    time.set(NOW + 1000);

    expect(own('+%s')).toBe('1772325006');
    expect(time.set(NOW)).toEqual({ HOOKLET_NOW: '2026-03-01T00:30:05.120Z' });
  });
});

const NIGHTLY = { configVersion: 'v1', schedule: [{ name: 'nightly', crontab: '0 3 * * *' }] };
const MODULE = `import { defineHook, schedule } from 'hooklet';
export default defineHook({
  bindings: { nightly: schedule('0 3 * * *') },
  run: () => console.log(new Date().toISOString(), Date.now(), typeof Date(), Date.UTC(2026, 0)),
});`;

describe('a program of Node', () => {
  it('sees the time of the world, with the options that it has besides, below any folder', () => {
    const folder = join(folders.use(temporaryFolder()).path, `a "b" 'c' d`);
    mkdirSync(folder);
    const { env } = openHookTime({ folder, env: { NODE_OPTIONS: '--no-warnings' }, nowMs: NOW });
    const text = 'console.log(new Date().toISOString(), Date.now(), process.execArgv.length, new Date(0).getTime())';
    const run = (): string =>
      execFileSync(process.execPath, ['-e', text], { encoding: 'utf8', env: { ...process.env, ...env } }).trim();

    expect(env['NODE_OPTIONS']).toMatch(/^--no-warnings --require "/);
    expect(run()).toMatch(/^2026-03-01T00:30:05\.120Z 1772325005120 2 0$/);
    rmSync(join(folder, 'time'));
    expect(run()).not.toContain('1772325005120');
  });
});

describe('a hook of a world', () => {
  it('sees the time of the world: in the shell, in its environment, and in TypeScript', async () => {
    const body = 'echo "$(date -u +%FT%T) $HOOKLET_NOW"';
    await using world = await rig.open({ 'a.sh': shellHook(NIGHTLY, body), 'b.ts': MODULE });
    await world.act({ type: 'tick', ms: 27 * 3_600_000 });

    const printed = (hook: string) => only(world, 'run-ended').flatMap((run) => (run.hook === hook ? run.output : []));
    expect(printed('a.sh')).toEqual([
      '2026-03-01T03:00:00 2026-03-01T03:00:00.000Z',
      '2026-03-02T03:00:00 2026-03-02T03:00:00.000Z',
    ]);
    expect(printed('b.ts')).toEqual([
      '2026-03-01T03:00:00.000Z 1772334000000 string 1767225600000',
      '2026-03-02T03:00:00.000Z 1772420400000 string 1767225600000',
    ]);
    expect(only(world, 'call')).toEqual([]);
  });

  it('has the date of the author, where there is a stand-in for it, and shows what stand-ins read, up to 64 KiB', async () => {
    const standInsDir = writeHooks(rig.folder(), {
      date: '#!/bin/sh\necho noon\n',
      psql: '#!/bin/sh\ncat > "$HOOKLET_STDIN"\n',
      quiet: '#!/bin/sh\n',
    });
    const body = `date; printf 'a\\nb\\n' | while read -r line; do quiet; echo "$line"; done
printf 'SELECT 1;\\n' | psql -1
head -c 100000 /dev/zero | tr '\\0' x | psql -2`;
    const hook = shellHook({ configVersion: 'v1', onStartup: 1 }, body);
    await using world = await rig.open({ 'a.sh': hook }, { standInsDir });

    expect(only(world, 'run-ended')[0]?.output).toEqual(['noon', 'a', 'b']);
    expect(only(world, 'call').map(({ program, stdin }) => [program, stdin?.slice(0, 12), stdin?.length])).toEqual([
      ['date', undefined, undefined],
      ['quiet', undefined, undefined],
      ['quiet', undefined, undefined],
      ['psql', 'SELECT 1;\n', 10],
      ['psql', 'xxxxxxxxxxxx', 65_536],
    ]);
  });
});
