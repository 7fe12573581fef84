import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PatchOperation } from '../../src/effects/operation.ts';
import { HookFailedError, HookOutputError, KubeError, PatchError } from '../../src/errors.ts';
import { attempt, type Effects, type HookRequests } from '../../src/run/attempt.ts';
import type { HookResult, ResultOutcome } from '../../src/hook/result.ts';
import type { RunEvent } from '../../src/run/journal.ts';
import { newRun, type RunOutcome } from '../../src/run/run.ts';
import type { Execution, ExecuteRequest, FailedExecution } from '../../src/runner/executor.ts';
import { hookWith, kubernetesBinding } from '../support/bindings.ts';
import { never } from '../support/hook-rig.ts';
import { eventOf, taskOf } from '../support/unit-rig.ts';

const operation: PatchOperation = {
  operation: 'MergePatch',
  target: { kind: 'ConfigMap' },
  name: 'cm',
  namespace: 'default',
  mergePatch: {},
  ignoreMissingObject: false,
  ignoreHookError: false,
};
const requests: HookRequests = { operations: [operation], metrics: [], warnings: [] };
const cost = { durationMs: 20, usage: { userCpuMs: 10, systemCpuMs: 5, maxRssBytes: 1000 } };
const exited: Execution = {
  type: 'exited',
  cost,
  outputs: { patch: 'the patch', metrics: 'the metrics', admission: 'yes', conversion: '', result: '' },
};
const applied = { index: 1, operation: 'MergePatch', target: 'v1/ConfigMap/default/cm', change: 'patched' } as const;
const error = new HookFailedError('exit 3', { ending: { exitCode: 3, timedOut: false } });
const failed = (patch: string, metrics = ''): Execution => ({
  type: 'failed',
  by: 'hook',
  error,
  cost,
  outputs: { patch, metrics, result: '' },
});

beforeEach(() => {
  vi.useFakeTimers({ now: 10_000 });
});

afterEach(() => {
  vi.useRealTimers();
});

interface Attempted {
  /** What was done, in order. */
  readonly did: readonly string[];
  readonly events: readonly RunEvent[];
  readonly outcome: RunOutcome;
}

/** Attempts a task that was queued two seconds ago. */
async function attempted(
  execution: Execution,
  effects: Partial<Effects> = {},
  execute?: (request: ExecuteRequest) => void,
  stop = never,
): Promise<Attempted> {
  const did: string[] = [];
  const events: RunEvent[] = [];
  const binding = kubernetesBinding('pods');
  const run = newRun(taskOf(hookWith('hook.sh', [binding]), eventOf(binding, 'web'), { queuedAtMs: 8000 }), 'main');
  const all: Effects = {
    parse: async (hook, outputs) => {
      did.push(`parse ${hook}: ${outputs.patch}, ${outputs.metrics}`);
      return requests;
    },
    parseResult: async () => fail(),
    parseAfterFailure: {
      patch: async (patch) => {
        did.push(`parse after failure: ${patch}`);
        return [operation];
      },
      metrics: async (text) => {
        did.push(`parse after failure: ${text}`);
        return [];
      },
    },
    apply: async (operations, onApplied) => {
      did.push(`apply ${operations.length}`);
      onApplied(applied);
      return [applied];
    },
    applyMetrics: (hook) => void did.push(`metrics of ${hook}`),
    ...effects,
  };
  const executor = {
    execute: async (request: ExecuteRequest): Promise<Execution> => {
      did.push(`run ${JSON.parse(Buffer.concat(request.contexts).toString())[0].binding}`);
      execute?.(request);
      return execution;
    },
  };
  const journal = { record: (event: RunEvent): void => void events.push(event) };
  const signals = { terminate: never, stop };
  const outcome = await attempt(run, { read: () => [] }, { executor, effects: all, journal }, signals);
  for (const event of events) if ('run' in event) expect(event.run).toBe(run);
  return { did, events, outcome };
}

function fail(): never {
  throw new Error('refused');
}

describe('a run that succeeds', () => {
  it('is read whole before anything is applied, and its metrics count after its patches', async () => {
    const { did, outcome } = await attempted(exited);

    expect(did).toEqual(['run pods', 'parse hook.sh: the patch, the metrics', 'apply 1', 'metrics of hook.sh']);
    expect(outcome).toEqual({
      type: 'succeeded',
      cost,
      applied: [applied],
      response: { admission: 'yes', conversion: '' },
    });
  });

  it('is in the journal from its start to what it changed, with what it printed', async () => {
    const output = { type: 'line', line: { stream: 'stdout', line: 'hello' } } as const;

    const { events } = await attempted(exited, {}, ({ onOutput }) => onOutput(output));

    expect(events).toMatchObject([
      { type: 'started', waitedMs: 2000, run: { attempt: 1, queue: 'main' } },
      { type: 'output', output },
      { type: 'executed', cost },
      { type: 'applied', operation, applied },
    ]);
  });

  it('has its likely mistakes in the journal', async () => {
    const warnings = ['operation 1: name has no meaning here'];

    const { events } = await attempted(exited, { parse: async () => ({ ...requests, warnings }) });

    expect(events).toContainEqual(
      expect.objectContaining({ type: 'warned', warning: { type: 'likelyMistake', message: warnings[0] } }),
    );
  });

  it('counts for nothing when what it wrote cannot be read', async () => {
    const cause = new HookOutputError('METRICS_PATH, line 1: no name');

    const { did, outcome } = await attempted(exited, {
      parse: () => {
        throw cause;
      },
    });

    expect(did).toEqual(['run pods']);
    expect(outcome).toEqual({ type: 'failed', by: 'output', error: cause, cost });
  });

  const unavailable = (status: number, retryAfterMs?: number): PatchError =>
    new PatchError('patch', {
      cause: new KubeError('api', { status, reason: '', ...(retryAfterMs !== undefined && { retryAfterMs }) }),
    });

  it.each<[string, Error, Partial<RunOutcome>]>([
    ['that the API server refuses', unavailable(422), { by: 'patch' }],
    ['that conflicts', unavailable(409), { by: 'patch' }],
    ['that cannot be made', new PatchError('patch', { cause: new Error('jq') }), { by: 'patch' }],
    ['that does not reach the API server', unavailable(0), { by: 'environment' }],
    ['that the API server fails on', unavailable(503), { by: 'environment' }],
    ['that the API server is too busy for', unavailable(429, 1000), { by: 'environment', retryAfterMs: 1000 }],
    ['that meets a bug', new TypeError('bug'), { by: 'hook' }],
  ])('fails with a patch %s', async (_what, cause, expected) => {
    const { did, outcome } = await attempted(exited, { apply: async () => Promise.reject(cause) });

    expect(did).toEqual(['run pods', 'parse hook.sh: the patch, the metrics']);
    expect(outcome).toEqual({ type: 'failed', error: cause, cost, ...expected });
  });
});

/** A result with these fields and nothing else. */
const resultWith = (fields: Partial<HookResult> = {}): HookResult => ({
  conditions: [],
  events: [],
  contexts: new Map(),
  ...fields,
});
const conditions = [{ type: 'Ready', status: 'False', reason: 'NoQuorum', message: '' }] as const;
const says = (result: HookResult): Partial<Effects> => ({ parseResult: async () => ({ result, warnings: [] }) });
const withResult = (isLater?: boolean): Execution => ({
  ...exited,
  outputs: { ...exited.outputs, result: 'the result' },
  ...(isLater === true && { isLater }),
});
const failedWithResult = (fields: Partial<FailedExecution> = {}): Execution => ({
  type: 'failed',
  by: 'hook',
  error,
  cost,
  outputs: { patch: '', metrics: '', result: 'the result' },
  ...fields,
});

describe('a run with a result', () => {
  it('has it read before anything is applied', async () => {
    const order: string[] = [];
    const result = resultWith({ retryAfterMs: 1000 });

    const { did, outcome } = await attempted(withResult(), {
      parseResult: async (text, scope) => {
        order.push(`${text} of ${JSON.stringify(scope)}`);
        return { result, warnings: [] };
      },
      apply: async () => {
        order.push('apply');
        return [];
      },
    });

    expect(order).toEqual(['the result of {"contexts":[{"object":" Pod default/web","isReconcile":false}]}', 'apply']);
    expect(did.at(-1)).toBe('metrics of hook.sh');
    expect(outcome).toMatchObject({ type: 'succeeded', result });
  });

  it('counts for nothing when it cannot be read', async () => {
    const cause = new HookOutputError('RESULT_PATH has 1 problem(s)');

    const { did, outcome } = await attempted(withResult(), { parseResult: async () => Promise.reject(cause) });

    expect(did).toEqual(['run pods']);
    expect(outcome).toEqual({ type: 'failed', by: 'output', error: cause, cost });
  });

  it.each<[string, boolean, Partial<HookResult>]>([
    ['its exit code', true, {}],
    ['its result', false, { outcome: 'later' }],
    ['both', true, { outcome: 'later' }],
    ['its exit code, and done in its result', true, { outcome: 'done' }],
  ])('is carried out and comes again later by %s', async (_what, isLater, fields) => {
    const result = resultWith({ retryAfterMs: 5000, ...fields });

    const { did, outcome } = await attempted(withResult(isLater), says(result));

    expect(did).toEqual(['run pods', 'parse hook.sh: the patch, the metrics', 'apply 1', 'metrics of hook.sh']);
    expect(outcome).toEqual({ type: 'later', cost, applied: [applied], retryAfterMs: 5000, result });
  });

  it.each<[Execution, ResultOutcome, boolean]>([
    [withResult(), 'failed', false],
    [withResult(), 'permanent', true],
    [withResult(true), 'failed', false],
    [withResult(true), 'permanent', true],
    [failedWithResult(), 'done', false],
    [failedWithResult(), 'later', false],
    [failedWithResult(), 'permanent', true],
    [failedWithResult({ isPermanent: true }), 'done', true],
    [failedWithResult({ isPermanent: true }), 'failed', true],
  ])('has failed by the worse of its exit code and its result %#', async (execution, said, isPermanent) => {
    const result = resultWith({ outcome: said, retryAfterMs: 5000, reason: 'NoQuorum', message: 'none' });

    const { did, outcome } = await attempted(execution, says(result));

    expect(did).not.toContain('parse hook.sh: the patch, the metrics');
    expect(outcome).toMatchObject({ type: 'failed', by: 'hook', result, retryAfterMs: 5000 });
    expect('isPermanent' in outcome).toBe(isPermanent);
  });

  it('that says it failed has its operations with ignoreHookError applied, and an error that says why', async () => {
    const result = resultWith({ outcome: 'permanent', reason: 'NoQuorum', message: 'none there' });

    const { did, outcome } = await attempted(withResult(), says(result));

    expect(did).toEqual([
      'run pods',
      'parse after failure: the patch',
      'apply 1',
      'parse after failure: the metrics',
      'metrics of hook.sh',
    ]);
    expect(outcome).toMatchObject({
      error: { message: 'hook hook.sh failed: it says permanent in RESULT_PATH, NoQuorum: none there' },
    });
  });

  it('that was cut off has failed whatever it says, and its conditions count', async () => {
    const said = { outcome: 'permanent', retryAfterMs: 1, conditions, finalized: true, children: [] } as const;
    const result = resultWith({ ...said, events: [], output: '1', contexts: new Map([[0, { ...said, events: [] }]]) });

    const { outcome } = await attempted(failedWithResult({ isCutOff: true }), says(result));

    const kept = { conditions, events: [] };
    expect(outcome).toEqual({
      type: 'failed',
      by: 'hook',
      error,
      cost,
      result: { ...kept, output: '1', contexts: new Map([[0, kept]]) },
    });
  });

  it('that failed keeps its error where the result cannot be read', async () => {
    const execution = failedWithResult({ isPermanent: true });

    const { outcome, events } = await attempted(execution, { parseResult: async () => fail() });

    expect(outcome).toEqual({ type: 'failed', by: 'hook', error, cost, isPermanent: true });
    const warning = { type: 'notApplied', what: 'result', error: new Error('refused') };
    expect(events).toContainEqual(expect.objectContaining({ type: 'warned', warning }));
  });

  it('that is to come later but was ended has failed', async () => {
    const stop = new AbortController();
    const end = (): void => stop.abort();

    const { did, outcome } = await attempted(withResult(true), says(resultWith()), end, stop.signal);

    expect(did).not.toContain('parse hook.sh: the patch, the metrics');
    expect(outcome).toMatchObject({ type: 'failed', error: { message: /because the operator is stopping$/ } });
  });

  it('does not count when its patches are refused', async () => {
    const reported: RunOutcome[] = [];
    const cause = new PatchError('refused');

    const { outcome } = await attempted(withResult(), {
      ...says(resultWith({ conditions })),
      apply: async () => Promise.reject(cause),
      report: async (_run, one) => void reported.push(one),
    });

    expect(outcome).toEqual({ type: 'failed', by: 'patch', error: cause, cost });
    expect(reported).toEqual([]);
  });
});

describe('what a run says about its objects', () => {
  const report = async (execution: Execution, result: HookResult): Promise<number> => {
    const reported: RunOutcome[] = [];
    const effects = { ...says(result), report: async (_run: unknown, one: RunOutcome) => void reported.push(one) };
    const { outcome } = await attempted(execution, effects);
    expect(reported).toEqual(reported.map(() => outcome));
    return reported.length;
  };

  it('is written once at the end, however it ended', async () => {
    const result = resultWith({ conditions });

    expect(await report(withResult(), result)).toBe(1);
    expect(await report(withResult(true), result)).toBe(1);
    expect(await report(failedWithResult(), result)).toBe(1);
    expect(await report(failedWithResult({ isCutOff: true }), result)).toBe(1);
  });

  it('may be a status, an Event, or about one context, and may be nothing', async () => {
    const event = { type: 'Normal', reason: 'Odd', message: '' } as const;
    const part = { conditions, events: [] };

    expect(await report(withResult(), resultWith({ status: {} }))).toBe(1);
    expect(await report(withResult(), resultWith({ events: [event] }))).toBe(1);
    expect(await report(withResult(), resultWith({ contexts: new Map([[0, part]]) }))).toBe(1);
    expect(await report(withResult(), resultWith({ retryAfterMs: 1, reason: 'Odd' }))).toBe(0);
    expect(await report(exited, resultWith({ conditions }))).toBe(0);
  });

  it('changes nothing of the outcome when it cannot be written', async () => {
    const effects = { ...says(resultWith({ conditions })), report: async () => fail() };

    const { outcome, events } = await attempted(withResult(), effects);

    expect(outcome.type).toBe('succeeded');
    const warning = { type: 'notReported', error: new Error('refused') };
    expect(events).toContainEqual(expect.objectContaining({ type: 'warned', warning }));
  });
});

describe('a run that fails', () => {
  const outcomeOfFailure = { type: 'failed', by: 'hook', error, cost };

  it('has the operations with ignoreHookError applied, and fails all the same', async () => {
    const { did, outcome, events } = await attempted(failed('the patch'));

    expect(did).toEqual(['run pods', 'parse after failure: the patch', 'apply 1']);
    expect(outcome).toEqual(outcomeOfFailure);
    expect(events.map(({ type }) => type)).toEqual(['started', 'executed', 'applied']);
  });

  it('has nothing applied when it wrote nothing, or did not get as far as running', async () => {
    expect((await attempted(failed(''))).did).toEqual(['run pods']);
    const notStarted = await attempted({ type: 'failed', by: 'environment', error });
    expect(notStarted.did).toEqual(['run pods']);
    expect(notStarted.outcome).toEqual({ type: 'failed', by: 'environment', error });
    expect(notStarted.events.map(({ type }) => type)).toEqual(['started']);
  });

  it('has its metrics with ignoreHookError counted, also when its patches are refused', async () => {
    const { did, outcome } = await attempted(failed('the patch', 'the metrics'), { apply: async () => fail() });

    expect(did).toEqual([
      'run pods',
      'parse after failure: the patch',
      'parse after failure: the metrics',
      'metrics of hook.sh',
    ]);
    expect(outcome).toEqual(outcomeOfFailure);
  });

  it.each<[string, Partial<Effects>, 'patches' | 'metrics']>([
    [
      'patches cannot be read',
      { parseAfterFailure: { patch: async () => fail(), metrics: async () => [] } },
      'patches',
    ],
    ['patches are refused', { apply: async () => fail() }, 'patches'],
    [
      'metrics cannot be read',
      { parseAfterFailure: { patch: async () => [], metrics: async () => fail() } },
      'metrics',
    ],
  ])('keeps its own error when its %s', async (_what, effects, what) => {
    const { outcome, events } = await attempted(failed('the patch', 'the metrics'), effects);

    expect(outcome).toEqual(outcomeOfFailure);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'warned', warning: { type: 'notApplied', what, error: new Error('refused') } }),
    );
  });

  it('is a value also where its contexts cannot be written', async () => {
    const binding = kubernetesBinding('pods', { includeSnapshotsFrom: ['pods'] });
    const run = newRun(taskOf(hookWith('hook.sh', [binding]), eventOf(binding, 'web')), 'main');
    const options = { executor: { execute: fail }, effects: {} as Effects, journal: { record: () => {} } };

    const outcome = await attempt(run, { read: fail }, options, { terminate: never, stop: never });

    expect(outcome).toEqual({ type: 'failed', by: 'hook', error: new Error('refused') });
  });
});
