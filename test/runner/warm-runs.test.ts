import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WarmRuns } from '../../src/runner/warm-runs.ts';
import type { WarmReport } from '../../src/runner/warm-protocol.ts';
import { defineHook, type HookRun, kubernetes } from '../../src/sdk/index.ts';

const bindings = { pods: kubernetes({ kind: 'Pod' }) };
type Run = HookRun<typeof bindings>;

// WarmRuns takes the standard streams of its process for its own.
const writeOut = process.stdout.write.bind(process.stdout);
const writeError = process.stderr.write.bind(process.stderr);
afterEach(() => {
  process.stdout.write = writeOut;
  process.stderr.write = writeError;
});

let reports: WarmReport[] = [];
let runs: WarmRuns;
beforeEach(() => {
  reports = [];
  runs = new WarmRuns((report) => reports.push(report));
});

function start(id: number, run: (run: Run) => void | Promise<void>): void {
  runs.handle(defineHook({ bindings, run }), { type: 'run', id, bytes: 2 }, Buffer.from('[]'));
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

  it('tells the one who wrote that it is written', async () => {
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
      expect.objectContaining({ type: 'failed', id: 1, error: expect.stringMatching(/^RangeError: too far\n {4}at/) }),
    ]);
    expect(reports[0]).toMatchObject({ patch: '{"operation":"Delete","kind":"Pod","name":"x"}\n' });
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

  it('fails on contexts that are no JSON', async () => {
    const definition = defineHook({ bindings, run: () => {} });

    runs.handle(definition, { type: 'run', id: 1, bytes: 1 }, Buffer.from('{'));
    await ended();

    expect(reports).toMatchObject([{ type: 'failed', id: 1 }]);
  });
});
