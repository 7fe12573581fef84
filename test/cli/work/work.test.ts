import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { WORKER_TIMES } from '../../../src/cli/work/times.ts';
import { openOperator, SHELL, workerRig } from '../../support/worker-rig.ts';

const WAITS = `${SHELL}echo "pid $$"; while [ ! -e "$GO/$RUN_ID" ]; do sleep 0.02; done; echo went\n`;
const WARM = `import { defineHook, onStartup } from 'hooklet';
  let runs = 0;
  export default defineHook({ bindings: { start: onStartup(1) }, run({ log, metric }) {
    runs += 1;
    log.warn('counted', { runs });
    metric.set('pid', process.pid);
  } });`;

describe('hooklet work', () => {
  it('says hello with its pool, hooks and capacity, executes a run, and sends its lines before its result', async () => {
    const rig = workerRig({
      'hook.sh': `${SHELL}echo one; echo "$EXTRA" >&2\ncat "$BINDING_CONTEXT_PATH" > "$KUBERNETES_PATCH_PATH"; printf "$RUN_ID $TRACEPARENT" > "$METRICS_PATH"\n`,
    });
    const operator = await openOperator();
    const { log } = rig.work(operator.url, { capacity: 3 });
    operator.hand(rig.runOf('r1', 'hook.sh', { traceparent: '00-1-2-01' }), { env: { EXTRA: 'from the operator' } });

    await expect
      .poll(() => operator.of('r1').results)
      .toMatchObject([
        { type: 'exited', isLater: false, files: { patch: '[{"binding":"x"}]', metrics: 'r1 00-1-2-01' } },
      ]);
    expect(operator.hellos).toMatchObject([{ pool: 'default', capacity: 3, hooks: await rig.digest() }]);
    expect(operator.of('r1').lines.toSorted((a, b) => a.line.localeCompare(b.line))).toEqual([
      { stream: 'stderr', line: 'from the operator' },
      { stream: 'stdout', line: 'one' },
    ]);
    expect(operator.happened.filter((what) => what !== 'output r1')).toEqual(['hello', 'claim r1', 'result r1']);
    expect(operator.happened.at(-1)).toBe('result r1');
    expect(log.lines).toContainEqual({
      level: 'info',
      message: 'hook output',
      fields: { hook: 'hook.sh', run: 'r1', output: 'stdout', line: 'one' },
    });
  });

  it('sends a line while its hook runs, and names the run in its beats until its result was taken', async () => {
    const rig = workerRig({ 'hook.sh': WAITS });
    const operator = await openOperator({ beatMs: 20 });
    rig.work(operator.url);
    operator.hand(rig.runOf('r1', 'hook.sh'), { epoch: 7 });

    await expect.poll(() => operator.of('r1').lines).toHaveLength(1);
    await expect.poll(() => operator.beats.at(-1)).toEqual([{ runId: 'r1', epoch: 7 }]);
    rig.letGo('r1');
    await expect.poll(() => operator.of('r1').results).toHaveLength(1);
    await expect.poll(() => operator.beats.at(-1)).toEqual([]);
  });

  it('sends a result whose lines the operator does not take, after 30 s in vain', async () => {
    const rig = workerRig({ 'hook.sh': `${SHELL}echo one\n` });
    const operator = await openOperator({
      instead: ({ path }) => (path.type === 'output' ? { status: 500, body: 'internal error' } : undefined),
    });
    const { messages } = rig.work(operator.url, { times: { linesLimitMs: 300 } });
    expect(WORKER_TIMES.linesLimitMs).toBe(30_000);
    operator.hand(rig.runOf('r1', 'hook.sh'));

    await expect.poll(() => operator.of('r1').results).toMatchObject([{ type: 'exited' }]);
    expect(messages()).toContain('lines of a run were not taken for too long, they are left out');
  });

  it('keeps a warm process for all runs of its hook', async () => {
    const rig = workerRig({ 'hook.ts': WARM });
    const operator = await openOperator();
    rig.work(operator.url);
    const contexts = [Buffer.from('[{"binding":"onStartup"}]')];
    for (const id of ['r1', 'r2', 'r3']) {
      operator.hand(rig.runOf(id, 'hook.ts'), { contexts });
      await expect.poll(() => operator.of(id).results).toMatchObject([{ type: 'exited' }]);
    }

    const counted = ['r1', 'r2', 'r3'].map((id) => operator.of(id).lines[0]?.entry);
    expect(counted).toEqual([1, 2, 3].map((runs) => ({ level: 'warn', fields: { runs } })));
    const pids = ['r1', 'r2', 'r3'].flatMap((id) =>
      operator.of(id).results.map((result) => 'files' in result && result.files?.metrics),
    );
    expect(new Set(pids).size).toBe(1);
  });

  it('fetches 100 MB of contexts that did not come with the run', async () => {
    const rig = workerRig({ 'hook.sh': `${SHELL}wc -c < "$BINDING_CONTEXT_PATH" > "$METRICS_PATH"\n` });
    const operator = await openOperator();
    rig.work(operator.url);
    const contexts = Array.from({ length: 10 }, () => Buffer.alloc(10_000_000, 'x'));
    operator.hand(rig.runOf('r1', 'hook.sh'), { contexts, isInline: false });

    await expect
      .poll(() => operator.of('r1').results, { timeout: 20_000 })
      .toMatchObject([{ files: { metrics: '100000000\n' } }]);
    expect(operator.happened.slice(0, 3)).toEqual(['hello', 'claim r1', 'contexts r1']);
  });

  it('has at most 2 runs at the same time where that is its capacity, and asks for as many as are free', async () => {
    const rig = workerRig({ 'hook.sh': WAITS });
    const operator = await openOperator({ beatMs: 20 });
    rig.work(operator.url, { capacity: 2 });
    for (const id of ['r1', 'r2', 'r3']) operator.hand(rig.runOf(id, 'hook.sh'));
    await expect.poll(() => [...operator.of('r1').lines, ...operator.of('r2').lines]).toHaveLength(2);
    const before = operator.beats.length;
    await expect.poll(() => operator.beats.length).toBeGreaterThan(before + 3);
    expect(operator.happened).not.toContain('claim r3');

    for (const id of ['r1', 'r2', 'r3']) rig.letGo(id);
    await expect.poll(() => operator.of('r3').results).toHaveLength(1);
    expect(Math.max(...operator.beats.map(({ length }) => length))).toBe(2);
    expect(Math.max(...operator.frees)).toBe(2);
    expect(Math.min(...operator.frees)).toBe(1);
  });

  it.each([
    ['a failure', 'echo broken >&2; exit 3', {}, { by: 'hook', exitCode: 3 }],
    ['a hook over its time limit', 'sleep 60', { timeoutMs: 300 }, { by: 'hook', timedOut: true }],
    [
      'a hook with another file than the operator has',
      'exit 0',
      { hookHash: 'ab'.repeat(32) },
      {
        by: 'environment',
        message: expect.stringContaining('the image of the worker has another version of the hook'),
      },
    ],
    [
      'a hook outside of its folder',
      'exit 0',
      { hook: '../token' },
      { by: 'environment', message: expect.stringContaining('is not in the folder') },
    ],
  ] as const)('sends %s as the operator would have it', async (_what, script, more, result) => {
    const rig = workerRig({ 'hook.sh': `${SHELL}${script}\n` });
    const operator = await openOperator();
    rig.work(operator.url);
    operator.hand(rig.runOf('r1', 'hook.sh', more));

    await expect.poll(() => operator.of('r1').results).toMatchObject([{ type: 'failed', ...result }]);
  });

  it('hides its own variables from hooks', async () => {
    const rig = workerRig({ 'hook.sh': `${SHELL}env > "$KUBERNETES_PATCH_PATH"\n` });
    const operator = await openOperator();
    rig.work(operator.url);
    operator.hand(rig.runOf('r1', 'hook.sh'));

    await expect.poll(() => operator.of('r1').results).toHaveLength(1);
    const [result] = operator.of('r1').results;
    const env = result?.type === 'exited' ? result.files.patch : '';
    expect(env).toContain('HOOKLET_HOOKS_DIR=');
    expect(env).not.toMatch(/HOOKLET_(?:OPERATOR|POOL|CAPACITY|TOKEN_FILE|CA_FILE|DRAIN_LIMIT)=/);
  });

  it('is ready while an operator answers, and counts its runs by outcome', async () => {
    const rig = workerRig({ 'hook.sh': `${SHELL}exit 75\n` });
    const operator = await openOperator();
    operator.refusal = 'another replica leads';
    const worker = rig.work(operator.url);
    await expect.poll(() => operator.tokens.size).toBe(1);
    const before = await worker.get('/readyz');
    expect([before.status, await before.text()]).toEqual([
      503,
      '[-]operator: no operator that leads answers this worker\nreadyz check failed\n',
    ]);
    expect((await worker.get('/healthz')).status).toBe(200);

    operator.refusal = undefined;
    operator.hand(rig.runOf('r1', 'hook.sh'));
    await expect.poll(() => operator.of('r1').results).toHaveLength(1);
    await expect.poll(async () => (await worker.get('/readyz')).status).toBe(200);
    const metrics = await (await worker.get('/metrics')).text();
    expect(metrics).toContain('hooklet_worker_runs_total{outcome="later"} 1\n');
    expect(metrics).toContain('hooklet_worker_capacity 4\n');
    expect(metrics).toContain('hooklet_worker_connected 1\n');
  });

  it('reads its token again for each request', async () => {
    const rig = workerRig({ 'hook.sh': `${SHELL}exit 0\n` });
    const operator = await openOperator({ beatMs: 20 });
    rig.work(operator.url);
    await expect.poll(() => [...operator.tokens]).toEqual(['Bearer token-1']);
    writeFileSync(rig.tokenFile, 'token-2');

    await expect.poll(() => [...operator.tokens]).toEqual(['Bearer token-1', 'Bearer token-2']);
  });
});
