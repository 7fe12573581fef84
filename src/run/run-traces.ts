import { randomBytes } from 'node:crypto';
import type { AppliedOperation } from '../effects/apply-operations.ts';
import { summaryOf } from '../errors.ts';
import type { EventTrigger } from '../hook/trigger.ts';
import type { RunCost } from '../runner/executor.ts';
import type { RunEvent, RunJournal } from './journal.ts';
import type { Run, RunOutcome } from './run.ts';
import { bindingOf, reasonOf } from './run-reason.ts';

/** Of one run; what it patches beyond that is only counted. */
const MAX_PATCHES = 200;

/** A finished span as plain data. Times are milliseconds since the epoch. */
export interface TraceSpan {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  /** Absent for the first span of a trace. */
  readonly parentId?: string;
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly moments?: readonly { readonly name: string; readonly atMs: number }[];
  /** Why it failed; nothing that a hook printed. */
  readonly error?: string;
}

export interface RunTracesOptions {
  /** Takes each span when it has ended; must not throw. */
  readonly send: (span: TraceSpan) => void;
  readonly now: () => number;
  readonly newSpanId?: () => string;
}

/** Makes a trace of each run. */
export interface RunTraces {
  readonly journal: RunJournal;
  /** Called when an event is seen, before it becomes a task. */
  readonly seen: (trigger: EventTrigger) => void;
  /** What a run that began gives its hook as `TRACEPARENT`, for spans of its own. */
  readonly traceparentOf: (run: Run) => string | undefined;
}

/** What is known of a run that has begun. */
interface Trace {
  readonly id: string;
  readonly rootId: string;
  readonly hookId: string;
  readonly startMs: number;
  readonly startedMs: number;
  /** The end of the last step: the hook or a patch. */
  lastMs: number;
  executedMs?: number;
  patches: number;
}

/**
 * A trace a run, and its id is that of the run without dashes: a span for the run, in it one for the wait in the queue,
 * one for the hook, and one for each patch. Every span is sent when it has ended, so that a run that is under way takes
 * one small object, whatever it does.
 */
export function runTraces({ send, now, newSpanId = randomSpanId }: RunTracesOptions): RunTraces {
  const traces = new WeakMap<Run, Trace>();
  const seenMs = new WeakMap<EventTrigger, number>();
  const begin = (run: Run): void => {
    const trace = newTrace(run, { startedMs: now(), seenMs, newSpanId });
    traces.set(run, trace);
    send(queueSpan(run, trace, newSpanId()));
  };
  const record = (event: RunEvent): void => {
    if (event.type === 'queued' || event.type === 'dropped') return;
    if (event.type === 'started') begin(event.run);
    const trace = traces.get(event.run);
    if (trace === undefined) return;
    if (event.type === 'executed') {
      trace.executedMs = trace.lastMs = now();
      send(hookSpan(event.run, trace, event.cost));
    } else if (event.type === 'applied') {
      const span = patchSpan(event.applied, trace, { spanId: newSpanId(), endMs: now() });
      if (span !== undefined) send(span);
    } else if (event.type === 'ended') {
      traces.delete(event.run);
      send(rootSpan(event.run, trace, { outcome: event.outcome, endMs: now(), seenMs: seenOf(event.run, seenMs) }));
    }
  };
  return {
    journal: { record },
    seen: (trigger) => seenMs.set(trigger, now()),
    traceparentOf: (run) => {
      const trace = traces.get(run);
      return trace && `00-${trace.id}-${trace.hookId}-01`;
    },
  };
}

interface Beginning {
  readonly startedMs: number;
  readonly seenMs: WeakMap<EventTrigger, number>;
  readonly newSpanId: () => string;
}

function newTrace(run: Run, { startedMs, seenMs, newSpanId }: Beginning): Trace {
  const queuedMs = Math.min(run.task.queuedAtMs, startedMs);
  return {
    id: run.id.replaceAll('-', ''),
    rootId: newSpanId(),
    hookId: newSpanId(),
    startMs: Math.min(seenOf(run, seenMs) ?? queuedMs, queuedMs),
    startedMs,
    lastMs: startedMs,
    patches: 0,
  };
}

/** When the event of the run was seen; of another attempt that is long ago, and says nothing. */
function seenOf({ task, attempt }: Run, seenMs: WeakMap<EventTrigger, number>): number | undefined {
  const [trigger] = task.triggers;
  return trigger.type === 'event' && attempt === 1 ? seenMs.get(trigger) : undefined;
}

function queueSpan({ task, queue }: Run, trace: Trace, spanId: string): TraceSpan {
  return {
    ...inRun(trace, spanId),
    name: 'queue',
    startMs: Math.min(task.queuedAtMs, trace.startedMs),
    endMs: trace.startedMs,
    attributes: { 'hooklet.queue': queue },
  };
}

function hookSpan({ task: { hook } }: Run, trace: Trace, { durationMs, usage }: RunCost): TraceSpan {
  const { userCpuMs, systemCpuMs, maxRssBytes } = usage;
  return {
    ...inRun(trace, trace.hookId),
    name: 'hook',
    startMs: Math.max(trace.startedMs, trace.lastMs - durationMs),
    endMs: trace.lastMs,
    attributes: {
      name: hook.name,
      path: hook.path,
      ...(userCpuMs !== undefined && { 'hooklet.cpu.user_ms': userCpuMs }),
      ...(systemCpuMs !== undefined && { 'hooklet.cpu.system_ms': systemCpuMs }),
      ...(maxRssBytes !== undefined && { 'hooklet.memory.max_rss_bytes': maxRssBytes }),
    },
  };
}

function patchSpan(
  { operation, target, change }: AppliedOperation,
  trace: Trace,
  { spanId, endMs }: Pick<TraceSpan, 'spanId' | 'endMs'>,
): TraceSpan | undefined {
  trace.patches += 1;
  const startMs = trace.lastMs;
  trace.lastMs = endMs;
  if (trace.patches > MAX_PATCHES) return undefined;
  const attributes = { 'hooklet.operation': operation, 'hooklet.object': target, 'hooklet.change': change };
  return { ...inRun(trace, spanId), name: `patch ${operation}`, startMs, endMs, attributes };
}

interface Ending {
  readonly outcome: RunOutcome;
  readonly endMs: number;
  readonly seenMs: number | undefined;
}

function rootSpan(run: Run, trace: Trace, { outcome, endMs, seenMs }: Ending): TraceSpan {
  const { task, queue, id, attempt } = run;
  const [trigger] = task.triggers;
  const { startMs, startedMs, executedMs, patches } = trace;
  const queued = { name: 'queued', atMs: Math.min(task.queuedAtMs, startedMs) };
  return {
    traceId: trace.id,
    spanId: trace.rootId,
    name: 'run',
    startMs,
    endMs,
    attributes: {
      'hooklet.run': id,
      'hooklet.hook': task.hook.name,
      'hooklet.binding': bindingOf(task),
      'hooklet.event': trigger.binding.type,
      'hooklet.reason': reasonOf(task),
      'hooklet.queue': queue,
      'hooklet.attempt': attempt,
      'hooklet.triggers': task.triggers.length,
      'hooklet.patches': patches,
      'hooklet.outcome': outcome.type,
    },
    moments: [
      ...(seenMs === undefined ? [] : [{ name: 'event seen', atMs: seenMs }]),
      queued,
      { name: 'started', atMs: startedMs },
      ...(executedMs === undefined ? [] : [{ name: 'hook ended', atMs: executedMs }]),
    ],
    ...(outcome.type === 'failed' && { error: summaryOf(outcome.error) }),
  };
}

function inRun({ id, rootId }: Trace, spanId: string): Pick<TraceSpan, 'traceId' | 'spanId' | 'parentId'> {
  return { traceId: id, spanId, parentId: rootId };
}

function randomSpanId(): string {
  return randomBytes(8).toString('hex');
}
