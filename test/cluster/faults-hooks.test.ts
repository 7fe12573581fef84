import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startSandbox } from '@hooklet/sandbox';
import { bindingTo, once, patchFor, queuedHook } from '../support/fault-hooks.ts';
import { sightingsOf } from '../support/fault-ledger.ts';
import { markProcesses } from '../support/fault-processes.ts';
import { CONFIG_MAPS_PATH, configMap, currentCluster, startFaultRig } from '../support/fault-rig.ts';
import { recordingHook, startOperator, type OperatorRig } from '../support/operator-rig.ts';
import { until } from './operator-rig.ts';

// These tests take long, and need only the sandbox.

/** The timeout of runs that hang. The next run of the same hook must end within it, also on a slow machine. */
const TIME_LIMIT = '5s';

const WARM = (name: string, body: string): Readonly<Record<string, string>> => ({
  [`${name}.ts`]: `
import { existsSync, writeFileSync } from 'node:fs';
import { defineHook, kubernetes } from 'hooklet';
const first = process.env.OUT + '/${name}';
export default defineHook({
  bindings: { one: kubernetes(${JSON.stringify({ ...bindingTo(name), name: undefined })}) },
  settings: { timeout: '${TIME_LIMIT}' },
  run({ log }) {
    if (!existsSync(first)) {
      writeFileSync(first, '');
      ${body}
    }
    log.info('well');
  },
});`,
});

describe('a bad hook', () => {
  it('harms only itself, is ended whole, and is run again until it succeeds', { timeout: 240_000 }, async () => {
    const processes = markProcesses();
    const sleeper = (seconds: number): string => `sleep ${seconds}`;
    await using rig = await startFaultRig({
      env: processes.env,
      hooks: {
        ...queuedHook('ignores-term', `trap '' TERM; ${once('term', `${sleeper(600)}; ${sleeper(600)}`)}`, {
          timeout: TIME_LIMIT,
        }),
        ...queuedHook('leaves-daemon', `${sleeper(601)} > /dev/null 2>&1 &`),
        ...queuedHook('leaves-holder', once('holder', `${sleeper(602)} & :`), { timeout: TIME_LIMIT }),
        ...queuedHook('floods', `head -c 200000000 /dev/zero | tr '\\0' 'x' | fold -w 1000`),
        ...queuedHook('half-document', once('half', `printf '{"operation":"Cre' > "$KUBERNETES_PATCH_PATH"; exit 0`)),
        ...queuedHook(
          'is-killed',
          once('killed', `echo '${patchFor('by-killed')}' > "$KUBERNETES_PATCH_PATH"; kill -9 $$`),
        ),
        ...queuedHook('deletes-itself', once('deleted', 'mv "$0" "$OUT/away"')),
        ...WARM('blocks', 'for (;;) {}'),
        ...WARM('crashes', 'process.kill(process.pid, "SIGKILL");'),
      },
    });
    const { operator } = rig;
    const names = [
      'ignores-term',
      'leaves-daemon',
      'leaves-holder',
      'floods',
      'half-document',
      'is-killed',
      'deletes-itself',
    ];
    const finished = () =>
      new Set(operator.lines.filter(({ message }) => message === 'hook finished').map(({ fields }) => fields['hook']));
    const failed = (hook: string) =>
      operator.lines.filter(({ message, fields }) => message.startsWith('hook failed') && fields['hook'] === hook);

    for (const name of [...names, 'blocks', 'crashes']) await rig.put(name, '1');
    for (const value of ['1', '2', '3']) await rig.put('a', value);
    await rig.remove('b');
    await rig.caughtUp();
    await until(() => expect(existsSync(join(operator.out, 'away'))).toBe(true));
    await rig.put('deletes-itself', 'again');
    await until(() => expect(failed('deletes-itself.sh')).not.toEqual([]));
    renameSync(join(operator.out, 'away'), join(operator.out, '..', 'hooks', 'deletes-itself.sh'));

    const all = [...names.map((name) => `${name}.sh`), 'blocks.ts', 'crashes.ts'];
    await until(() => expect([...finished()]).toEqual(expect.arrayContaining(all)), 120_000);
    for (const hook of [
      'ignores-term.sh',
      'leaves-holder.sh',
      'half-document.sh',
      'is-killed.sh',
      'blocks.ts',
      'crashes.ts',
    ]) {
      expect(failed(hook), hook).toHaveLength(1);
    }
    expect((await rig.sandbox.call('GET', '/api/v1/namespaces/copies/configmaps/by-killed')).code).toBe(404);
    expect(processes.pids().length).toBeGreaterThan(0);
    await operator.stop();
    // A killed process disappears a moment later.
    await until(() => expect(processes.pids()).toEqual([]));
  });
});

describe('a hook', () => {
  it(
    'that sleeps gets 10,000 events after that, all of them in one run and in order',
    { timeout: 240_000 },
    async () => {
      const wait = 'while ! [ -e "$OUT/go" ]; do sleep 0.05; done';
      await using sandbox = await startSandbox();
      await using operator = startOperator({
        connect: currentCluster(sandbox),
        hooks: { 'sleeper.sh': recordingHook({ configVersion: 'v1', kubernetes: [bindingTo('a')] }, wait) },
      });
      await until(async () => expect((await fetch(`${operator.url()}/readyz`)).status).toBe(200));
      await sandbox.apply(configMap('a', '0'));
      await until(() => expect(operator.runs('sleeper.sh')).toHaveLength(1));

      const path = `${CONFIG_MAPS_PATH}/a`;
      for (let count = 1; count <= 10_000; count++) {
        await sandbox.call('PATCH', path, { data: { value: String(count) } }, 'application/merge-patch+json');
        if (count % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      await until(async () => expect(await queueLength(operator, 'a')).toBe(10_001));
      writeFileSync(join(operator.out, 'go'), '');
      await until(async () => expect(await queueLength(operator, 'a')).toBe(0));

      const values = sightingsOf(operator.contexts('sleeper.sh')).map(({ value }) => value);
      expect(values).toEqual(Array.from({ length: 10_001 }, (_, count) => String(count)));
      expect(operator.runs('sleeper.sh')).toHaveLength(2);
    },
  );
});

async function queueLength(operator: OperatorRig, queue: string): Promise<number> {
  const text = await (await fetch(`${operator.url()}/metrics`)).text();
  return Number(new RegExp(`tasks_queue_length\\{queue="${queue}"\\} (\\d+)`).exec(text)?.[1]);
}
