import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JobClaim } from '../../../src/hook/job-desk.ts';
import { MAX_RESULT_BYTES } from '../../../src/hook/remote-run.ts';
import { FakeDesk, openServer, podRig, refused, SHELL } from '../../support/job-rig.ts';

const MIB = 1024 * 1024;

/** A Pod with one hook, and a desk with its run. */
function runOf(script: string, run: Partial<JobClaim> = {}, name = 'hook.sh') {
  const pod = podRig({ [name]: name.endsWith('.sh') ? SHELL + script : script });
  const desk = new FakeDesk({ hook: name, hookHash: pod.hashOf(name), ...run });
  return { pod, desk };
}

describe('hooklet exec-run', () => {
  it('runs a process hook with its contexts, and sends its lines in order before its result', async () => {
    const { pod, desk } = runOf(
      'for i in 1 2 3 4 5 6 7 8 9; do echo "line $i"; sleep 0.05; done; echo to stderr >&2\n' +
        'cat "$BINDING_CONTEXT_PATH" > "$KUBERNETES_PATCH_PATH"; printf "$RUN_ID $TRACEPARENT" > "$METRICS_PATH"\n',
      { traceparent: '00-1-2-01', runId: 'run-7' },
    );
    const server = await openServer(desk);
    const program = pod.start(server.url);

    expect(await program.ended).toBe(0);
    expect(desk.results).toEqual([
      {
        type: 'exited',
        cost: expect.objectContaining({ durationMs: expect.any(Number) }),
        isLater: false,
        files: { patch: '[{"binding":"x"}]', metrics: 'run-7 00-1-2-01', admission: '', conversion: '', result: '' },
      },
    ]);
    const printed = Array.from({ length: 9 }, (_, index) => `line ${index + 1}`);
    const stdout = desk.lines.filter(({ stream }) => stream === 'stdout');
    expect(stdout.map(({ line }) => line)).toEqual(printed);
    expect(desk.lines).toContainEqual({ stream: 'stderr', line: 'to stderr' });
    expect(desk.happened.slice(0, 3)).toEqual(['claim', 'contexts', 'output']);
    expect(desk.happened.at(-1)).toBe('result');
    expect(program.stdout()).toBe(`${printed.join('\n')}\n`);
    expect(program.stderr()).toBe('to stderr\n');
  });

  it('runs a warm hook, and sends what it logs as entries', async () => {
    const module = `import { defineHook, onStartup } from 'hooklet';
      export default defineHook({ bindings: { start: onStartup(1) }, run({ log, metric }) {
        log.warn('it is late', { minutes: 5 });
        metric.set('m', 1);
      } });`;
    const { pod, desk } = runOf(module, { type: 'warm' }, 'hook.ts');
    const contexts = [Buffer.from('[{"binding":"onStartup"}]')];
    const warm = new FakeDesk({ ...desk.run, contextBytes: 25 }, contexts);
    const server = await openServer(warm);
    const program = pod.start(server.url);

    expect(await program.ended).toBe(0);
    expect(warm.results).toMatchObject([{ type: 'exited', files: { metrics: expect.stringContaining('"m"') } }]);
    expect(warm.lines).toEqual([
      { stream: 'stdout', line: 'it is late', entry: { level: 'warn', fields: { minutes: 5 } } },
    ]);
    expect(program.stdout()).toBe('{"level":"warn","msg":"it is late","minutes":5}\n');
  });

  it('hides its token, its certificates and its variables from the environment of the hook', async () => {
    const { pod, desk } = runOf(
      'env > "$KUBERNETES_PATCH_PATH"; command -v hooklet > "$METRICS_PATH"; printf "$HOOKLET_SHELL_LIB" > "$RESULT_PATH"',
    );
    const server = await openServer(desk);

    expect(await pod.start(server.url).ended).toBe(0);
    const [result] = desk.results;
    if (result?.type !== 'exited') throw new Error('it failed');
    expect(result.files.patch).not.toMatch(/HOOKLET_JOB|CERTIFICATE|token/);
    expect(result.files.metrics).toMatch(/\/bin\/hooklet\n$/);
    expect(existsSync(result.files.result)).toBe(true);
  });

  it.each([
    [
      'a failure',
      'echo broken >&2; echo half > "$KUBERNETES_PATCH_PATH"; exit 3',
      {},
      { by: 'hook', exitCode: 3, files: { patch: 'half\n' } },
    ],
    ['a permanent failure', 'exit 9', { outcome: { permanent: [9] } }, { by: 'hook', exitCode: 9, isPermanent: true }],
    ['a hook over its time limit', 'sleep 60', { timeoutMs: 300 }, { by: 'hook', timedOut: true, isCutOff: true }],
    [
      'an output that is no file',
      'rm "$METRICS_PATH"; mkfifo "$METRICS_PATH"',
      {},
      { by: 'output', message: expect.stringContaining('not a regular file') },
    ],
    [
      'files that are too large together',
      'head -c 30M /dev/zero > "$KUBERNETES_PATCH_PATH"; head -c 40M /dev/zero > "$CONVERSION_RESPONSE_PATH"',
      {},
      { by: 'output', message: expect.stringContaining(`at most ${MAX_RESULT_BYTES} (64 MiB) are taken`) },
    ],
  ] as const)('sends %s as the operator would have it, and exits with 1', async (_what, script, run, result) => {
    const { pod, desk } = runOf(script, run);
    const server = await openServer(desk);

    expect(await pod.start(server.url).ended).toBe(1);
    expect(desk.results).toMatchObject([
      { type: 'failed', isPermanent: false, isCutOff: false, timedOut: false, ...result },
    ]);
  });

  it('says by exit code 75 that the work is to be done later, and exits with 0', async () => {
    const { pod, desk } = runOf('exit 75');
    const server = await openServer(desk);

    expect(await pod.start(server.url).ended).toBe(0);
    expect(desk.results).toMatchObject([{ type: 'exited', isLater: true }]);
  });

  it('sends a result of 50 MiB', async () => {
    const { pod, desk } = runOf('head -c 50M /dev/zero | tr "\\0" x > "$CONVERSION_RESPONSE_PATH"');
    const server = await openServer(desk);

    expect(await pod.start(server.url).ended).toBe(0);
    const [result] = desk.results;
    expect(result?.type === 'exited' && result.files.conversion.length).toBe(50 * MIB);
  });

  it('gives a hook 100 MB of contexts', async () => {
    const { pod, desk } = runOf('wc -c < "$BINDING_CONTEXT_PATH" > "$METRICS_PATH"');
    const large = new FakeDesk(
      { ...desk.run, contextBytes: 100_000_000 },
      Array.from({ length: 10 }, () => Buffer.alloc(10_000_000, 'x')),
    );
    const server = await openServer(large);

    expect(await pod.start(server.url).ended).toBe(0);
    expect(large.results).toMatchObject([{ files: { metrics: '100000000\n' } }]);
  });

  it('runs no file but the one that the operator has', async () => {
    const { pod, desk } = runOf('touch "$HOOKLET_HOOKS_DIR/ran"', { hookHash: 'ab'.repeat(32) });
    const server = await openServer(desk);
    const program = pod.start(server.url);

    expect(await program.ended).toBe(1);
    expect(program.stderr()).toContain(
      'the image of the Job has another version of the hook hook.sh than the operator',
    );
    expect(desk.results).toMatchObject([
      { type: 'failed', by: 'environment', message: expect.stringContaining('has another version of the hook') },
    ]);
    expect(existsSync(join(pod.path, 'hooks', 'ran'))).toBe(false);
  });

  it.each(['nothing.sh', '../token'])('runs no %s, which is not in the folder of hooks', async (hook) => {
    const { pod, desk } = runOf('exit 0', { hook });
    desk.run = { ...desk.run, hook };
    const server = await openServer(desk);

    expect((await pod.run(server.url)).exitCode).toBe(1);
    expect(desk.results).toMatchObject([{ type: 'failed', by: 'environment' }]);
  });

  it('exits with 0 and runs nothing when another Pod has the run', async () => {
    const { pod, desk } = runOf('touch "$HOOKLET_HOOKS_DIR/ran"');
    const server = await openServer(desk);
    await desk.claim(
      'hk-run-1',
      { namespace: 'runs', account: 'default', pod: 'pod-2', podUid: 'uid-2' },
      new AbortController().signal,
    );
    const program = pod.start(server.url);

    expect(await program.ended).toBe(0);
    expect(program.stderr()).toBe('hooklet: this Pod does not get the run: another Pod has it (409); nothing is run\n');
    expect(existsSync(join(pod.path, 'hooks', 'ran'))).toBe(false);
  });

  it.each([
    [410, 0],
    [403, 1],
    [404, 1],
  ] as const)('with %i for its claim exits with %i and says why', async (status, exitCode) => {
    const { pod, desk } = runOf('exit 0');
    const server = await openServer(desk.answering({ claim: async () => refused(status) }));
    const { output, ...ended } = await pod.run(server.url);

    expect(ended).toEqual({ exitCode });
    expect(output).toContain(`it is ${status} (${status})`);
  });

  it('reads its token again for each request', async () => {
    const { pod, desk } = runOf('while [ ! -e "$HOOKLET_HOOKS_DIR/go" ]; do sleep 0.05; done; echo later');
    const tokens: string[] = [];
    const server = await openServer(desk, {
      identify: async (token) => {
        tokens.push(token);
        return { namespace: 'runs', account: 'default', pod: 'pod-1', podUid: 'uid-1' };
      },
    });
    const program = pod.start(server.url);
    await expect.poll(() => desk.happened).toContain('contexts');
    writeFileSync(pod.tokenFile, 'token-of-pod-1-renewed');
    writeFileSync(join(pod.path, 'hooks', 'go'), '');

    expect(await program.ended).toBe(0);
    expect(new Set(tokens)).toEqual(new Set(['token-of-pod-1', 'token-of-pod-1-renewed']));
  });

  it('ends its hook at SIGTERM, and sends that it was cut off, which is not its fault', async () => {
    const { pod, desk } = runOf('trap "echo bye; exit 4" TERM; echo there; while :; do sleep 0.05; done');
    const server = await openServer(desk);
    const program = pod.start(server.url);
    await program.says('there');
    program.signal('SIGTERM');

    expect(await program.ended).toBe(1);
    expect(desk.results).toMatchObject([
      {
        type: 'failed',
        by: 'environment',
        isCutOff: true,
        message: expect.stringContaining('the Pod of its Job is ending'),
      },
    ]);
    const stdout = desk.lines.filter(({ stream }) => stream === 'stdout');
    expect(stdout.map(({ line }) => line)).toEqual(['there', 'bye']);
  });

  it('ends at SIGTERM also while nobody answers its claim', async () => {
    const { pod, desk } = runOf('exit 0');
    const server = await openServer(desk);
    await server.close();
    const stop = new AbortController();
    const running = pod.run(server.url, {}, { stop: stop.signal });
    stop.abort();

    expect(await running).toEqual({
      exitCode: 1,
      output: expect.stringContaining('the Pod ends before it had its run'),
    });
  });

  it('leaves no file behind', async () => {
    const { pod, desk } = runOf('exit 0');
    const server = await openServer(desk);
    await pod.start(server.url).ended;

    expect(readdirSync(join(pod.path, 'tmp'))).toEqual([]);
  });
});
