import type { Execution, ExecuteRequest } from '../../runner/executor.ts';
import type { Recorder } from './recorder.ts';

/** So often a run must have done nothing before the next one like it is left out. */
const ENOUGH = 2;
/** What the timeline says of a run that was left out. */
export const LEFT_OUT = 'no process was started: it would do nothing, as before';
const NO_COST = { durationMs: 0, usage: {} };
const NO_OUTPUTS = { patch: '', metrics: '', admission: '', conversion: '', result: '' };

interface Idle {
  readonly stamp: number;
  readonly times: number;
}

/**
 * The runs of schedules that do nothing. A process that was given the same twice, asked nobody for anything and changed
 * nothing would do nothing again for as long as nothing happens: it is not started. Ten minutes of a crontab of seconds
 * then cost two runs.
 */
export class IdleRuns {
  readonly #recorder: Pick<Recorder, 'add' | 'stamp'>;
  readonly #idle = new Map<string, Idle>();

  constructor(recorder: Pick<Recorder, 'add' | 'stamp'>) {
    this.#recorder = recorder;
  }

  /** Executes a run, or says what it would do. */
  async execute(request: ExecuteRequest, execute: () => Promise<Execution>): Promise<Execution> {
    const key = keyOf(request);
    if (key === undefined) return execute();
    const before = this.#recorder.stamp();
    const known = this.#idle.get(key);
    const times = known?.stamp === before ? known.times : 0;
    if (times >= ENOUGH) {
      this.#recorder.add({ type: 'log', level: 'debug', message: LEFT_OUT, fields: { hook: request.hook.name } });
      return { type: 'exited', cost: NO_COST, outputs: NO_OUTPUTS };
    }
    const execution = await execute();
    if (isEmpty(execution) && this.#recorder.stamp() === before)
      this.#idle.set(key, { stamp: before, times: times + 1 });
    else this.#idle.delete(key);
    return execution;
  }
}

/** What a process is given by schedules alone, without the times; undefined for other runs. */
function keyOf({ hook, contexts }: ExecuteRequest): string | undefined {
  if (hook.type !== 'process') return undefined;
  const parsed: unknown = JSON.parse(Buffer.concat(contexts).toString());
  if (!Array.isArray(parsed) || !parsed.every(isTick)) return undefined;
  return JSON.stringify([hook.name, ...parsed.map(withoutTimes)]);
}

function withoutTimes(context: Readonly<Record<string, unknown>>): object {
  const { lastSuccess: _, runId: __, scheduledAt: ___, ...rest } = context;
  return rest;
}

function isTick(context: unknown): context is Readonly<Record<string, unknown>> {
  return typeof context === 'object' && context !== null && 'type' in context && context.type === 'Schedule';
}

function isEmpty(execution: Execution): boolean {
  if (execution.type !== 'exited' || execution.isLater === true) return false;
  return Object.values(execution.outputs).every((text) => text === '');
}
