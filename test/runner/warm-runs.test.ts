import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WarmRuns } from '../../src/runner/warm-runs.ts';
import type { WarmReport } from '../../src/runner/warm-protocol.ts';
import { defineHook, type HookRun, kubernetes } from '../../src/sdk/index.ts';

const bindings = { pods: kubernetes({ kind: 'Pod' }) };
type Run = HookRun<typeof bindings>;

// WarmRuns replaces the standard streams of its process.
const writeOut = process.stdout.write.bind(process.stdout);
const writeError = process.stderr.write.bind(process.stderr);
afterEach(() => {
  process.stdout.write = writeOut;
  process.stderr.write = writeError;
});

let reports: WarmReport[] = [];
let payloads: string[] = [];
let runs: WarmRuns;
beforeEach(() => {
  reports = [];
  payloads = [];
  runs = new WarmRuns((report, payload) => {
    reports.push(report);
    payloads.push(payload?.toString() ?? '');
  });
});

function start(id: number, run: (run: Run) => void | Promise<void>): void {
  runs.handle(defineHook({ bindings, run }), { type: 'run', id, runId: `run-${id}`, bytes: 2 }, Buffer.from('[]'));
}

const ended = (count = 1): Promise<unknown> =>
  vi.waitUntil(() => reports.filter(({ type }) => type === 'done' || type === 'failed').length === count, {
    timeout: 30_000,
  });

const lines = (): readonly unknown[] =>
  reports.flatMap((report) =>
    report.type === 'output' ? report.lines.map(({ line }) => `${report.id ?? 'outside'}: ${line}`) : [],
  );

describe('WarmRuns', () => {
  it('gives what is printed to the run that printed it', async () => {
    const gate = Promise.withResolvers<void>();
    start(1, async () => {
      process.stdout.write('first begins\n');
      await gate.promise;
      process.stdout.write('first ends\n');
    });
    start(2, () => {
      process.stderr.write(new TextEncoder().encode('second\n'));
      gate.resolve();
    });
    await ended(2);

    expect(lines()).toEqual(['1: first begins', '2: second', '1: first ends']);
  });

  it('gives what is printed outside of any run to none', () => {
    process.stdout.write('at import\n');

    expect(lines()).toEqual(['outside: at import']);
  });

  it('calls back the writer once its text is written', async () => {
    await new Promise<void>((resolve, reject) => {
      process.stdout.write('x\n', (error) => (error ? reject(error) : resolve()));
    });

    expect(lines()).toEqual(['outside: x']);
  });

  it('ends the last line before it reports the end of the run', async () => {
    start(1, () => {
      process.stdout.write('no line break');
    });
    await ended();

    expect(reports.map(({ type }) => type)).toEqual(['output', 'done']);
  });

  it('reports what the function throws, with what it had asked for', async () => {
    start(1, ({ patch }) => {
      patch.delete({ kind: 'Pod', name: 'x' });
      throw new RangeError('too far');
    });
    await ended();

    expect(reports).toEqual([
      expect.objectContaining({
        type: 'failed',
        id: 1,
        reason: 'its function threw',
        error: expect.stringMatching(/^RangeError: too far\n {4}at/),
      }),
    ]);
    expect(payloads).toEqual(['{"operation":"Delete","kind":"Pod","name":"x"}\n']);
  });

  it('aborts the signal of one run', async () => {
    start(1, async ({ signal }) => {
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve);
      });
    });

    runs.handle(defineHook({ bindings, run: () => {} }), { type: 'abort', id: 1 }, Buffer.alloc(0));
    await ended();

    expect(reports).toMatchObject([{ type: 'done', id: 1 }]);
  });

  it('passes on what the hook logs', async () => {
    start(1, ({ log }) => log.error('no luck', { pod: 'x' }));
    await ended();

    expect(reports[0]).toEqual({
      type: 'log',
      id: 1,
      entry: { level: 'error', message: 'no luck', fields: { pod: 'x' } },
    });
  });

  it('sends the patch file, the metrics file and the result, and the lengths of the first and the last', async () => {
    start(1, ({ patch, metric, result, runId }) => {
      patch.delete({ kind: 'Pod', name: 'ü' });
      metric.set('a', 1);
      result.output(runId);
    });
    await ended();

    const patch = '{"operation":"Delete","kind":"Pod","name":"ü"}\n';
    const metrics = '{"name":"a","action":"set","value":1}\n';
    const result = '{"output":"run-1"}\n';
    const patchBytes = Buffer.byteLength(patch);
    expect(reports).toEqual([
      expect.objectContaining({
        type: 'done',
        bytes: patchBytes + metrics.length + result.length,
        patchBytes,
        resultBytes: result.length,
      }),
    ]);
    expect(payloads).toEqual([patch + metrics + result]);
  });

  it('fails a run that asks for more than 32 MiB of patches, and does not send them', async () => {
    start(1, ({ patch }) => patch.merge({ kind: 'Pod', name: 'x' }, { data: 'x'.repeat(32 * 1024 * 1024) }));
    await ended();

    expect(reports).toEqual([
      expect.objectContaining({
        type: 'failed',
        reason: expect.stringMatching(
          /^KUBERNETES_PATCH_PATH has 3355\d{4} bytes, at most 33554432 \(32 MiB\) are read; write less in one run$/,
        ),
        bytes: 0,
      }),
    ]);
    expect(payloads).toEqual(['']);
  });

  it('fails a run that reports more than 4 MiB of metrics', async () => {
    start(1, ({ metric }) => metric.expire('x'.repeat(4 * 1024 * 1024)));
    await ended();

    expect(reports).toMatchObject([{ type: 'failed', reason: expect.stringContaining('at most 4194304 (4 MiB)') }]);
  });

  it('drops what a run logs and prints beyond 1 MiB, and reports how much', async () => {
    start(1, ({ log }) => {
      for (let i = 0; i < 1000; i++) log.info('x'.repeat(2000));
      process.stdout.write('lost\n');
    });
    await ended();

    const logged = reports.filter(({ type }) => type === 'log');
    expect(logged.length).toBeGreaterThan(480);
    expect(logged.length).toBeLessThan(500);
    expect(lines()).toEqual([
      expect.stringMatching(/^1: hooklet: the output limit of a run was reached, 1\d{6} more bytes were dropped$/),
    ]);
  });

  it('cuts an error of more than 32,000 characters', async () => {
    start(1, () => {
      throw new Error('x'.repeat(1e6));
    });
    await ended();

    const [report] = reports;
    expect(report?.type === 'failed' && report.error.length).toBe(32_001);
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['an object without a text', Object.create(null)],
    ['a symbol', Symbol('x')],
    ['a proxy that throws', new Proxy(new Error('x'), { get: () => expect.unreachable() })],
    [
      'an error whose stack throws',
      Object.defineProperty(new Error('x'), 'stack', { get: () => expect.unreachable() }),
    ],
  ])('survives a function that throws %s', async (_what, thrown: unknown) => {
    start(1, async () => {
      await Promise.reject(thrown);
    });
    await ended();

    expect(reports).toMatchObject([{ type: 'failed', reason: 'its function threw', error: expect.any(String) }]);
  });

  it('fails on contexts that are no JSON', async () => {
    const definition = defineHook({ bindings, run: () => {} });

    runs.handle(definition, { type: 'run', id: 1, runId: 'run-1', bytes: 1 }, Buffer.from('{'));
    await ended();

    expect(reports).toMatchObject([{ type: 'failed', id: 1 }]);
  });
});
