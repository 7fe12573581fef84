import { beforeEach, describe, expect, it } from 'vitest';
import { HookFailedError } from '../../src/errors.ts';
import { endedWhole, type RunEvent } from '../../src/run/journal.ts';
import { runTraces, type RunTraces, type TraceSpan } from '../../src/run/run-traces.ts';
import { newRun, type Run } from '../../src/run/run.ts';
import { hookWith, kubernetesBinding } from '../support/bindings.ts';
import { eventOf, taskOf } from '../support/unit-rig.ts';

const binding = kubernetesBinding('pods');
const cost = { durationMs: 30, usage: { userCpuMs: 10, systemCpuMs: 5, maxRssBytes: 1000 } };
const applied = { index: 1, operation: 'MergePatch', target: 'v1/ConfigMap/default/cm', change: 'patched' } as const;
const operation = {
  operation: 'MergePatch',
  target: { kind: 'ConfigMap' },
  name: 'cm',
  mergePatch: {},
  ignoreMissingObject: false,
  ignoreHookError: false,
} as const;

let nowMs: number;
let spans: TraceSpan[];
let traces: RunTraces;

beforeEach(() => {
  nowMs = 0;
  spans = [];
  let ids = 0;
  const newSpanId = (): string => String(++ids).padStart(16, '0');
  traces = runTraces({ send: (span) => spans.push(span), now: () => nowMs, newSpanId });
});

function record(atMs: number, event: RunEvent): void {
  nowMs = atMs;
  traces.journal.record(event);
}

function seenRun(attempts = 0): Run {
  const trigger = eventOf(binding, 'web');
  nowMs = 100;
  traces.seen(trigger);
  return newRun(taskOf(hookWith('hook.sh', [binding]), trigger, { queuedAtMs: 110, failures: attempts }), 'main');
}

describe('the trace of a run', () => {
  it('has spans for the run, its wait, its hook and each patch, in the trace of its id', () => {
    const run = seenRun();

    record(150, { type: 'started', run, waitedMs: 40 });
    record(181, { type: 'executed', run, cost });
    record(190, { type: 'applied', run, operation, applied });
    record(195, { type: 'applied', run, operation, applied });
    record(200, endedWhole(run, { type: 'succeeded', cost, applied: [applied, applied] }, { type: 'done' }));

    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([run.id.replaceAll('-', '')]));
    const root = spans.at(-1);
    expect(spans.map(({ name, startMs, endMs, parentId }) => [name, startMs, endMs, parentId])).toEqual([
      ['queue', 110, 150, root?.spanId],
      ['hook', 151, 181, root?.spanId],
      ['patch MergePatch', 181, 190, root?.spanId],
      ['patch MergePatch', 190, 195, root?.spanId],
      ['run', 100, 200, undefined],
    ]);
    expect(root?.moments).toEqual([
      { name: 'event seen', atMs: 100 },
      { name: 'queued', atMs: 110 },
      { name: 'started', atMs: 150 },
      { name: 'hook ended', atMs: 181 },
    ]);
    expect(root?.attributes).toEqual({
      'hooklet.run': run.id,
      'hooklet.hook': 'hook.sh',
      'hooklet.binding': 'pods',
      'hooklet.event': 'kubernetes',
      'hooklet.reason': 'Added default/web',
      'hooklet.queue': 'main',
      'hooklet.attempt': 1,
      'hooklet.triggers': 1,
      'hooklet.patches': 2,
      'hooklet.outcome': 'succeeded',
    });
    expect(root?.error).toBeUndefined();
  });

  it('is what the hook is given as its parent, from the start of the run to its end', () => {
    const run = seenRun();
    expect(traces.traceparentOf(run)).toBeUndefined();

    record(150, { type: 'started', run, waitedMs: 0 });
    const traceparent = traces.traceparentOf(run);
    record(181, { type: 'executed', run, cost });
    record(190, endedWhole(run, { type: 'succeeded', cost, applied: [] }, { type: 'done' }));

    const hook = spans.find(({ name }) => name === 'hook');
    expect(traceparent).toBe(`00-${run.id.replaceAll('-', '')}-${hook?.spanId}-01`);
    expect(traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(traces.traceparentOf(run)).toBeUndefined();
  });

  it('says that the run failed, and nothing that the hook printed', () => {
    const run = seenRun();
    const error = new HookFailedError('hook hook.sh: exit code 1\nmy password is x', undefined);

    record(150, { type: 'started', run, waitedMs: 0 });
    record(190, endedWhole(run, { type: 'failed', by: 'hook', error }, { type: 'done' }));

    expect(spans.map(({ name }) => name)).toEqual(['queue', 'run']);
    expect(spans[1]?.error).not.toBe('');
    expect(JSON.stringify(spans)).not.toContain('password');
  });

  it('begins when the attempt was queued, where it is not the first', () => {
    const run = seenRun(1);

    record(150, { type: 'started', run, waitedMs: 0 });
    record(190, endedWhole(run, { type: 'succeeded', cost, applied: [] }, { type: 'done' }));

    expect(spans[1]).toMatchObject({ name: 'run', startMs: 110 });
  });

  it('has at most 200 spans of patches, and counts them all', () => {
    const run = seenRun();
    record(150, { type: 'started', run, waitedMs: 0 });
    for (let n = 0; n < 250; n += 1) record(150 + n, { type: 'applied', run, operation, applied });
    record(500, endedWhole(run, { type: 'succeeded', cost, applied: [] }, { type: 'done' }));

    expect(spans.filter(({ name }) => name === 'patch MergePatch')).toHaveLength(200);
    expect(spans.at(-1)?.attributes['hooklet.patches']).toBe(250);
  });

  it('is none for a run that never began', () => {
    const run = seenRun();

    record(150, endedWhole(run, { type: 'interrupted', by: 'reload', error: new Error('gone') }, { type: 'done' }));

    expect(spans).toEqual([]);
  });
});
