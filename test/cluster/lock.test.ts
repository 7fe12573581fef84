import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lockTimes } from '../../src/kube/coordination/lock-times.ts';
import { Lock } from '../../src/kube/coordination/lock.ts';
import { sleep } from '../../src/lib/sleep.ts';
import { markProcesses } from '../support/fault-processes.ts';
import { never, temporaryFolder } from '../support/hook-rig.ts';
import { recordingHook, startOperator } from '../support/operator-rig.ts';
import { runProgram, startProgram, type Program } from '../support/program.ts';
import { connectAs, handsOn, until, withoutApiserver, type Hands } from './operator-rig.ts';
import { sharedControlPlane } from './shared-control-plane.ts';

const plane = sharedControlPlane();

interface Beat {
  readonly who: string;
  readonly atMs: number;
}

/** `hooklet lock` in the namespace of the test, and what commands under it write to one file. */
async function rig() {
  const hands = await handsOn(plane);
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const journal = join(folder.path, 'journal');
  writeFileSync(journal, '');
  const config = join(folder.path, 'kubeconfig');
  writeFileSync(config, plane.kubeconfig('admin'));
  const env = { KUBECONFIG: config, POD_NAMESPACE: hands.namespace };
  const working = (who: string) => ['sh', '-c', `while true; do ${beatOf(who)}; sleep 0.05; done`];
  const beatOf = (who: string): string => `echo "${who} $(date +%s%3N)" >> '${journal}'`;
  const lease = (name: string) => `/apis/coordination.k8s.io/v1/namespaces/${hands.namespace}/leases/${name}`;
  const beats = (who?: string): readonly Beat[] =>
    readBeats(journal).filter((beat) => who === undefined || beat.who === who);
  return {
    hands,
    beatOf,
    beats,
    lease,
    /** Starts a command that writes a beat each 50 ms for as long as it lives. */
    work: (who: string, args: readonly string[], more = {}): Program =>
      startProgram(['lock', ...args, '--', ...working(who)], { env: { ...env, ...more } }),
    run: async (args: readonly string[]) => runProgram(['lock', ...args], { env }),
    start: (args: readonly string[]): Program => startProgram(['lock', ...args], { env }),
    begun: async (who: string) => until(() => expect(beats(who).length).toBeGreaterThan(0)),
    /** Never a beat of one after the first of the other. */
    expectTurn: (first: string, second: string): void => {
      expect(beats(first).at(-1)?.atMs).toBeLessThan(beats(second)[0]?.atMs ?? 0);
    },
    put: async (name: string, spec: object) => {
      const object = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name }, spec };
      await hands.call('POST', lease(name).slice(0, -name.length - 1), object);
    },
  };
}

function readBeats(journal: string): readonly Beat[] {
  const lines = readFileSync(journal, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => {
    const [who = '', at] = line.split(' ');
    return { who, atMs: Number(at) };
  });
}

const FOR_3S = ['--for', '3s', '--wait', '2m'];

/** A hook that takes turns with all who want the lock. */
function turns({ namespace }: Hands, body: string): string {
  const lock = { name: 'nightly', namespace };
  return recordingHook(
    { configVersion: 'v1', schedule: [{ name: 'often', crontab: '* * * * * *', concurrency: 'skip', lock }] },
    body,
  );
}

describe('a lock on a real API server', () => {
  it('is held by one at a time of 2 operators and 3 commands that race for it', async () => {
    const { hands, beatOf, beats, start } = await rig();
    const body = `${beatOf('in')}; sleep 0.1; ${beatOf('out')}`;
    const operators = ['a', 'b'].map((name) =>
      startOperator({
        connect: connectAs(plane, 'admin'),
        hooks: { 'a.sh': turns(hands, body) },
        env: { POD_NAME: `web-${name}`, POD_NAMESPACE: hands.namespace },
        operator: { lockTimes: lockTimes(3000) },
      }),
    );
    try {
      const programs = [1, 2, 3].map(() => start(['nightly', ...FOR_3S, '--', 'sh', '-c', body]));
      expect(await Promise.all(programs.map(async ({ ended }) => ended))).toEqual([0, 0, 0]);
      for (const one of operators) await until(() => expect(one.runs('a.sh').length).toBeGreaterThan(1));
    } finally {
      for (const one of operators) await one[Symbol.asyncDispose]();
    }
    const words = beats().map(({ who }) => who);
    expect(words.filter((word, index) => word !== (index % 2 === 0 ? 'in' : 'out'))).toEqual([]);
    expect(words.length).toBeGreaterThanOrEqual(14);
  });

  it('of a holder that is killed is free 3 s after its last renewal, when the command is gone', async () => {
    const { work, begun, beats, expectTurn } = await rig();
    const first = work('first', ['nightly', ...FOR_3S]);
    await begun('first');
    work('second', ['nightly', ...FOR_3S]);
    await sleep(2000, never);
    expect(beats('second')).toEqual([]);

    const killedAt = Date.now();
    first.signal('SIGKILL');

    await begun('second');
    // It renews each 0.5 s.
    expect((beats('second')[0]?.atMs ?? 0) - killedAt).toBeGreaterThan(2400);
    expectTurn('first', 'second');
  });

  it('of a holder that stands still is taken by another, when its command was killed; it wakes up to that', async () => {
    const { work, begun, expectTurn } = await rig();
    const first = work('first', ['nightly', ...FOR_3S]);
    await begun('first');
    const second = work('second', ['nightly', ...FOR_3S]);
    await until(() => expect(second.stderr()).toContain('waiting'));

    first.signal('SIGSTOP');
    await begun('second');
    first.signal('SIGCONT');

    expect(await first.ended).toBe(1);
    expect(first.stderr()).toMatch(/the lock \S+ is lost: .*, the command was ended/);
    expectTurn('first', 'second');
  });

  it('is lost by a command that slept with its machine: it ends within 3 s of waking up', async () => {
    const { work, begun, beats } = await rig();
    const processes = markProcesses();
    const first = work('first', ['nightly', ...FOR_3S], processes.env);
    await begun('first');
    // The holder, its guard and the command.
    const all = processes.pids();
    expect(all.length).toBeGreaterThanOrEqual(3);
    for (const pid of all) process.kill(pid, 'SIGSTOP');
    work('second', ['nightly', ...FOR_3S]);
    await begun('second');
    const before = beats('first').length;

    const wokenAt = Date.now();
    // The latest first: those before it kill it as soon as they wake up, and then nothing is left to signal.
    for (const pid of all.toReversed()) process.kill(pid, 'SIGCONT');

    expect(await first.ended).toBe(1);
    expect((beats('first').at(-1)?.atMs ?? 0) - wokenAt).toBeLessThan(3000);
    // At most what it did until it was ended: docs/locks.md says so.
    expect(beats('first').length - before).toBeLessThan(60);
  });

  it('is released by another only by force where its holder lives, who ends its work before the next begins', async () => {
    const { work, begun, run, expectTurn } = await rig();
    const first = work('first', ['nightly', ...FOR_3S]);
    await begun('first');

    expect(await run(['release', 'nightly', '--yes'])).toMatchObject({ exitCode: 1 });
    expect(await run(['release', 'nightly', '--yes', '--force'])).toMatchObject({ exitCode: 0 });
    work('second', ['nightly', ...FOR_3S]);

    expect(await first.ended).toBe(1);
    expect(first.stderr()).toMatch(/is lost: \S+_released-by-force took it/);
    await begun('second');
    expectTurn('first', 'second');
  });

  it('goes by nobody else’s clock: holders a day ahead and a day behind keep it, and lose it after 3 s', async () => {
    const { hands, lease } = await rig();
    for (const skewMs of [-86_400_000, 86_400_000]) {
      const of = (now?: () => number): Lock =>
        new Lock({
          client: hands.client,
          namespace: hands.namespace,
          name: 'nightly',
          times: lockTimes(3000),
          ...(now && { now }),
        });
      const answer = await of(() => Date.now() + skewMs).take(`skewed ${skewMs}`, never);
      if (answer.type !== 'taken') throw new Error(answer.type);
      const end = new AbortController();
      const renewing = answer.held.renew(end.signal);
      const other = of();
      const untilMs = performance.now() + 4000;
      while (performance.now() < untilMs) {
        expect((await other.take('other', never)).type).toBe('held');
        await sleep(250, never);
      }
      expect(answer.held.lost.aborted).toBe(false);
      end.abort();
      await renewing;
      await until(async () => expect((await other.take('other', never)).type).toBe('taken'), 10_000);
      await hands.call('DELETE', lease('nightly'));
    }
  });

  it('is lost while the API server is away for longer than half its time, and kept where that is shorter', async () => {
    const { work, begun, beats, expectTurn } = await rig();
    const short = work('short', ['short', '--for', '3s']);
    const long = work('long', ['long', '--for', '10m']);
    await begun('short');
    await begun('long');

    await withoutApiserver(plane, async () => {
      expect(await short.ended).toBe(1);
      expect(short.stderr()).toMatch(/the lock \S+\/short is lost: it could not be renewed for 2 s/);
    });
    work('next', ['short', ...FOR_3S]);
    await begun('next');

    expectTurn('short', 'next');
    const seen = beats('long').length;
    await until(() => expect(beats('long').length).toBeGreaterThan(seen));
    expect(long.hasEnded()).toBe(false);
  });

  it('is no Lease of something else, such as one of Kubernetes’ own controllers', async () => {
    const { hands, lease, put, run } = await rig();
    await put('controller', { holderIdentity: 'controller-1', leaseDurationSeconds: 1 });
    const before = await hands.call('GET', lease('controller'));

    for (const args of [
      ['controller', '--', 'true'],
      ['show', 'controller'],
      ['release', 'controller', '--yes', '--force'],
    ]) {
      const { exitCode, stderr } = await run(args);
      expect(exitCode).toBe(1);
      expect(stderr).toContain(
        'is not a lock of hooklet: it has no label hooklet.dev/lock: "true", and controller-1 holds it',
      );
    }
    expect(await hands.call('GET', lease('controller'))).toEqual(before);
  });

  it(
    'of an operator that stands still is taken after 30 s, when its hook was killed',
    { timeout: 180_000 },
    async () => {
      const { hands, beatOf, begun, beats, work, expectTurn } = await rig();
      const folder = temporaryFolder();
      onTestFinished(() => folder[Symbol.dispose]());
      const config = join(folder.path, 'kubeconfig');
      writeFileSync(config, plane.kubeconfig('admin'));
      const hooks = join(folder.path, 'hooks');
      const script = turns(hands, `trap '' TERM; while true; do ${beatOf('hook')}; sleep 0.05; done`);
      mkdirSync(hooks);
      writeFileSync(join(hooks, 'a.sh'), script, { mode: 0o755 });
      const env = { KUBECONFIG: config, POD_NAMESPACE: hands.namespace, OUT: folder.path };
      const flags = ['--hooks-dir', hooks, '--tmp-dir', join(folder.path, 'tmp'), '--listen-port', '0'];
      const operator = startProgram(['start', ...flags, '--listen-address', '127.0.0.1'], { env });
      await begun('hook');
      work('second', ['nightly', '--wait', '2m']);

      operator.signal('SIGSTOP');
      const stoppedAt = Date.now();
      await begun('second');

      expect((beats('second')[0]?.atMs ?? 0) - stoppedAt).toBeGreaterThan(24_000);
      expectTurn('hook', 'second');
      operator.signal('SIGCONT');
      await sleep(3000, never);
      expectTurn('hook', 'second');
    },
  );
});
