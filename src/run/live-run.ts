import type { AppliedOperation } from '../effects/apply-operations.ts';
import type { RunLine, RunPatch } from '../hook/run-record.ts';
import type { Trigger } from '../hook/trigger.ts';
import type { HookOutput, RunCost } from '../runner/executor.ts';
import { shown, shownText } from '../lib/shown.ts';
import { unreachable } from '../lib/unreachable.ts';
import type { RunEvent, RunWarning } from './journal.ts';
import { OutputTail } from './output-tail.ts';
import { generationOf, recordedObjects, type RecordedObjects } from './recorded-objects.ts';
import type { Run } from './run.ts';

const MAX_PATCHES = 50;
const MAX_WARNINGS = 10;
const MAX_WARNING_CHARS = 500;
const MAX_FIELDS_CHARS = 1000;
const MAX_TARGET_CHARS = 600;

/** A run that has not ended, with what is known of it so far. */
export class LiveRun {
  readonly run: Run;
  readonly startedAtMs: number;
  readonly waitedMs: number;
  readonly tail = new OutputTail();
  readonly patches: RunPatch[] = [];
  readonly warnings: string[] = [];
  /** By the trigger of the Reconcile that saw it. */
  readonly generations = new Map<Trigger, number>();
  #objects: RecordedObjects | undefined;
  #cost: RunCost | undefined;
  #patchCount = 0;
  readonly #followers = new Set<() => void>();

  constructor(run: Run, startedAtMs: number, waitedMs: number) {
    this.run = run;
    this.startedAtMs = startedAtMs;
    this.waitedMs = waitedMs;
  }

  get objects(): RecordedObjects {
    this.#objects ??= recordedObjects(this.run.task.triggers, this.generations);
    return this.#objects;
  }

  /** Known once the hook has ended. */
  get cost(): RunCost | undefined {
    return this.#cost;
  }

  /** The number of operations beyond those in `patches`. */
  get morePatches(): number {
    return this.#patchCount - this.patches.length;
  }

  print(output: HookOutput): void {
    const { stream, line } = keptLine(output);
    this.tail.push(stream, line);
    this.wake();
  }

  note(event: Extract<RunEvent, { readonly type: 'seen' | 'executed' | 'applied' | 'warned' }>): void {
    if (event.type === 'executed') this.#cost = event.cost;
    else if (event.type === 'seen') this.#see(event);
    else if (event.type === 'applied') this.#apply(event.applied);
    else this.#warn(event.warning);
  }

  #see({ trigger, object }: Extract<RunEvent, { readonly type: 'seen' }>): void {
    const { generation } = generationOf({ object });
    if (generation === undefined) return;
    this.generations.set(trigger, generation);
    this.#objects = undefined;
  }

  #apply({ operation, target, change }: AppliedOperation): void {
    this.#patchCount += 1;
    if (this.patches.length === MAX_PATCHES) return;
    this.patches.push({ operation, target: shownText(target, MAX_TARGET_CHARS), change });
  }

  #warn(warning: RunWarning): void {
    if (this.warnings.length === MAX_WARNINGS) return;
    this.warnings.push(shownText(warningText(warning), MAX_WARNING_CHARS));
  }

  /** Calls `wake` at each line and at the end of the run, until the returned function is called. */
  follow(wake: () => void): () => void {
    this.#followers.add(wake);
    return () => this.#followers.delete(wake);
  }

  /** Wakes those who follow the run. */
  wake(): void {
    if (this.#followers.size > 0) for (const wake of this.#followers) wake();
  }
}

/** What a hook printed or logged, as it is kept. */
export function keptLine(output: HookOutput): RunLine {
  if (output.type === 'line') return { stream: output.line.stream, line: output.line.line };
  const { level, message, fields } = output.entry;
  const more = Object.keys(fields).length === 0 ? '' : ` ${shown(fields, MAX_FIELDS_CHARS)}`;
  return { stream: 'log', line: `${level} ${message}${more}` };
}

function warningText(warning: RunWarning): string {
  switch (warning.type) {
    case 'likelyMistake':
      return warning.message;
    case 'notApplied':
      return `${warning.what} of the failed run could not be applied: ${String(warning.error)}`;
    case 'notReported':
      return `what the result says could not be written: ${String(warning.error)}`;
    default:
      return unreachable(warning);
  }
}
