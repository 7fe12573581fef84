import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RunHistory } from '../../src/run/history.ts';
import { describe, expect, it } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { HookMetrics } from '../../src/effects/hook-metrics.ts';
import { openFilters } from '../../src/filter/filters.ts';
import { createMetrics } from '../../src/metrics.ts';
import { createClusterAccess } from '../../src/operator/cluster-access.ts';
import { createEffects } from '../../src/operator/outputs/effects.ts';
import { openRunner } from '../../src/operator/runs/open-runner.ts';
import type { Leadership } from '../../src/operator/operator-parts.ts';
import { Operator } from '../../src/operator/operator.ts';
import type { Ask } from '../../src/run/asked-runs.ts';
import { never, temporaryFolder } from '../support/hook-rig.ts';
import { metricValues } from '../support/metric-values.ts';
import { sandboxCluster, until } from '../support/operator-rig.ts';
import { reviewTrigger } from '../support/review-trigger.ts';
import { recordingLogger } from '../support/recording-logger.ts';

const CONFIG = JSON.stringify({ configVersion: 'v1', onStartup: 1 });
const ANSWERS = 'cat "$BINDING_CONTEXT_PATH" > "$VALIDATING_RESPONSE_PATH"';

/** A hook that does `startup` for onStartup, and `body` for any other binding context. */
const hook = (body: string, startup = ':'): string =>
  `#!/bin/sh\nif [ "\${1:-}" = --config ]; then echo '${CONFIG}'; exit; fi\nif grep -q onStartup "$BINDING_CONTEXT_PATH"; then ${startup}; exit; fi\n${body}\n`;

/** An operator that runs in this process, without `runOperator`. */
async function operatorWith(hooks: Readonly<Record<string, string>>, leadership?: Leadership) {
  const ends = new AsyncDisposableStack();
  const tmp = ends.use(temporaryFolder());
  const [hooksDir, out] = [join(tmp.path, 'hooks'), join(tmp.path, 'out')];
  for (const folder of [hooksDir, out]) mkdirSync(folder);
  for (const [name, text] of Object.entries(hooks)) writeFileSync(join(hooksDir, name), text, { mode: 0o755 });
  const log = recordingLogger();
  const metrics = createMetrics('');
  const settings = {
    hooksDir,
    tmpDir: join(tmp.path, 'tmp'),
    keepTmpFiles: false,
    logProxyHookJson: false,
    env: { ...process.env, OUT: out },
    program: { node: process.execPath, program: '/nowhere/main.js' },
    gracePeriodMs: 5000,
    log,
  };
  const sandbox = await sandboxForTest();
  const access = await createClusterAccess({ connect: sandboxCluster(sandbox), userAgent: 'test' }, { log, metrics });
  const filters = openFilters();
  const hookMetrics = new HookMetrics();
  const loaded = Promise.withResolvers<void>();
  const controller = new AbortController();
  const operator = new Operator({
    history: new RunHistory({ now: Date.now }),
    options: { ...settings, onLoaded: loaded.resolve },
    metrics,
    runner: openRunner(settings, ends),
    access,
    filters,
    effects: createEffects({ access, filters, hookMetrics, metrics, log }),
    hookMetrics,
    leadership,
    signal: controller.signal,
  });
  const running = operator.run(controller.signal);
  await loaded.promise;
  return {
    log,
    metrics,
    wrote: (name: string): boolean => existsSync(join(out, name)),
    count: (): number => readdirSync(out).length,
    write: (name: string): void => writeFileSync(join(out, name), ''),
    ask: async (name: string, signal = never) => {
      const ask = askerOf(operator, name);
      if (ask === undefined) throw new Error(`no hook ${name}`);
      return ask(reviewTrigger, signal);
    },
    askerOf: (name: string) => askerOf(operator, name),
    stop: (): void => controller.abort(),
    ended: running,
    [Symbol.asyncDispose]: async () => {
      controller.abort();
      await running;
      filters.end();
      await ends.disposeAsync();
    },
  };
}

function askerOf({ hooks, runs }: Operator, name: string): Ask | undefined {
  const unit = hooks.unitNamed(name);
  return unit && runs.askerOf(unit.hook);
}

describe('a hook that is asked', () => {
  it('is run at once, beside a queue that is busy, and its caller gets the response', async () => {
    const waits = 'touch "$OUT/began"; until [ -e "$OUT/go" ]; do sleep 0.05; done';
    await using rig = await operatorWith({ 'a.sh': hook(':', waits), 'b.sh': hook(ANSWERS) });
    await until(() => expect(rig.wrote('began')).toBe(true));

    const outcome = await rig.ask('b.sh');

    expect(outcome).toMatchObject({ type: 'succeeded', response: { conversion: '' } });
    const admission = outcome.type === 'succeeded' ? (outcome.response?.admission ?? '') : '';
    expect(JSON.parse(admission)).toEqual([
      { binding: 'guard.example.com', review: { request: { uid: '1' } }, type: 'Validating' },
    ]);
    await until(() =>
      expect(rig.log.lines).toContainEqual({
        level: 'info',
        message: 'hook finished',
        fields: {
          hook: 'b.sh',
          binding: 'guard.example.com',
          event: 'Validating',
          run: expect.any(String),
          durationMs: expect.any(Number),
        },
      }),
    );
    rig.write('go');
  });

  it('answers on a replica that does not lead, where nothing else runs', async () => {
    const leadership: Leadership = {
      leading: Promise.withResolvers<void>().promise,
      lost: never,
      check: () => {},
      takenOver: undefined,
      status: { type: 'standing-by', leader: 'another' },
    };
    await using rig = await operatorWith({ 'b.sh': hook(ANSWERS, 'touch "$OUT/started"') }, leadership);

    expect(await rig.ask('b.sh')).toMatchObject({ type: 'succeeded' });
    expect(rig.count()).toBe(0);
  });

  it('that fails is not run again, and its caller gets the failure', async () => {
    await using rig = await operatorWith({ 'b.sh': hook('touch "$OUT/$$"; echo no >&2; exit 3') });

    const outcome = await rig.ask('b.sh');

    expect(outcome).toMatchObject({ type: 'failed', by: 'hook', error: { ending: { exitCode: 3 } } });
    expect(rig.count()).toBe(1);
    await until(() =>
      expect(metricValues(rig.metrics, 'hook_run_errors_total')).toEqual([
        '{hook="b.sh",binding="guard.example.com",queue=""} 1',
      ]),
    );
  });

  it('is ended when its caller goes away', async () => {
    await using rig = await operatorWith({ 'b.sh': hook('touch "$OUT/began"; exec sleep 600') });
    const controller = new AbortController();
    const asked = rig.ask('b.sh', controller.signal);
    await until(() => expect(rig.wrote('began')).toBe(true));

    controller.abort();

    expect(await asked).toMatchObject({ type: 'failed', error: { ending: { signal: 'SIGTERM' } } });
  });

  it('is waited for at the end, and then nobody is answered any more', async () => {
    const slow = `touch "$OUT/began"; until [ -e "$OUT/go" ]; do sleep 0.05; done; ${ANSWERS}`;
    await using rig = await operatorWith({ 'b.sh': hook(slow) });
    const asked = rig.ask('b.sh');
    await until(() => expect(rig.wrote('began')).toBe(true));

    rig.stop();
    const refused = { type: 'interrupted', by: 'shutdown' };
    await until(async () => expect(await rig.ask('b.sh', AbortSignal.timeout(200))).toMatchObject(refused));
    rig.write('go');

    expect(await asked).toMatchObject({ type: 'succeeded' });
    await rig.ended;
  });

  it('has a door of its own, and where there is no such hook there is none', async () => {
    await using rig = await operatorWith({ 'b.sh': hook(ANSWERS) });

    expect(rig.askerOf('c.sh')).toBeUndefined();
  });
});
