/* Makes moments of what the journal and the runner tell of runs. */

import type { JsonValue } from '@hooklet/sandbox';
import { HookFailedError } from '../../errors.ts';
import type { RunEvent } from '../../run/journal.ts';
import type { Run, RunOutcome } from '../../run/run.ts';
import type { ExecuteRequest } from '../../runner/executor.ts';
import { outputText } from './output-text.ts';
import type { Recorder } from './recorder.ts';

const MAX_LINES = 40;
const MAX_LINE = 2000;

interface Known {
  readonly run: Run;
  readonly lines: string[];
}

/** What writes runs into the timeline. */
export interface RunRecorder {
  readonly executing: readonly string[];
  /** The run of the only hook that runs. */
  readonly onlyRun: string | undefined;
  /** The hook of a run that has not ended; undefined for one that is not known. */
  hookOf(run: string): string | undefined;
  record(event: RunEvent): void;
  /** A hook begins to run; the returned function is called when it has ended. */
  begin(request: ExecuteRequest): () => void;
}

/** `isCut` says that what happens does not count any more. */
export function recordRuns({ recorder }: { readonly recorder: Recorder }, isCut: () => boolean): RunRecorder {
  const known = new Map<string, Known>();
  const executing = new Map<string, string>();
  return {
    get executing() {
      return [...executing.values()];
    },
    get onlyRun() {
      const [run, ...others] = executing.keys();
      return others.length === 0 ? run : undefined;
    },
    hookOf: (run) => known.get(run)?.run.task.hook.name,
    record(event) {
      if (event.type === 'started') known.set(event.run.id, { run: event.run, lines: [] });
      if (event.type === 'output') noteLine(known.get(event.run.id), event);
      if (event.type !== 'ended') return;
      recorder.add(endedMoment(event, known.get(event.run.id)?.lines ?? []));
      known.delete(event.run.id);
    },
    begin({ runId, hook, contexts }) {
      const run = known.get(runId)?.run;
      executing.set(runId, hook.name);
      if (!isCut()) {
        const place = { run: runId, hook: hook.name, queue: run?.queue ?? '', attempt: run?.attempt ?? 1 };
        recorder.add({ type: 'run-started', ...place, contexts: parsedContexts(contexts) });
      }
      return () => executing.delete(runId);
    },
  };
}

function parsedContexts(chunks: readonly Uint8Array[]): readonly JsonValue[] {
  const contexts: unknown = JSON.parse(Buffer.concat(chunks).toString());
  return Array.isArray(contexts) ? contexts : [];
}

function noteLine(known: Known | undefined, { output }: Extract<RunEvent, { type: 'output' }>): void {
  known?.lines.push(outputText(output).slice(0, MAX_LINE));
  if (known !== undefined && known.lines.length > MAX_LINES) known.lines.shift();
}

function endedMoment(
  { run, outcome, next }: Extract<RunEvent, { type: 'ended' }>,
  output: readonly string[],
): Parameters<Recorder['add']>[0] {
  const exitCode = exitCodeOf(run, outcome);
  return {
    type: 'run-ended',
    run: run.id,
    hook: run.task.hook.name,
    outcome: outcome.type,
    ...(exitCode !== undefined && { exitCode }),
    ...(outcome.type === 'failed' && { message: outcome.error.message }),
    next: next.type,
    output,
  };
}

function exitCodeOf({ task }: Run, outcome: RunOutcome): number | undefined {
  if (outcome.type === 'failed') {
    return outcome.error instanceof HookFailedError ? outcome.error.ending?.exitCode : undefined;
  }
  if (task.hook.type === 'warm') return undefined;
  if (outcome.type === 'succeeded') return 0;
  return outcome.type === 'later' ? 75 : undefined;
}
