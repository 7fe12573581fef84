import type { Run, RunOutcome } from '../../src/run/run.ts';
import { RunHistory } from '../../src/run/history.ts';
import { createJournal, endedWhole, type RunEvent, type RunJournal } from '../../src/run/journal.ts';
import { newRun } from '../../src/run/run.ts';
import { hookWith, kubernetesBinding } from './bindings.ts';
import { eventOf, taskOf } from './unit-rig.ts';

const binding = kubernetesBinding('pods');
const FAILED: RunOutcome = { type: 'failed', by: 'hook', error: new Error('it failed \u001b[31m') };

/** A history of runs that the test makes. */
export function historyRig(
  history = new RunHistory({ now: () => Date.UTC(2026, 0, 5) }),
  also: RunJournal = { record: () => {} },
) {
  const record = (event: RunEvent): void => createJournal([history, also]).record(event);
  const start = (object = 'web', id?: string): Run => {
    const run = newRun(taskOf(hookWith('hook.sh', [binding]), eventOf(binding, object)), 'main');
    const started = id === undefined ? run : { ...run, id };
    record({ type: 'started', run: started, waitedMs: 0 });
    return started;
  };
  return {
    history,
    start,
    print: (run: Run, line: string) =>
      record({ type: 'output', run, output: { type: 'line', line: { stream: 'stdout', line } } }),
    succeed: (run: Run) =>
      record(
        endedWhole(run, { type: 'succeeded', cost: { durationMs: 38, usage: {} }, applied: [] }, { type: 'done' }),
      ),
    fail: (run: Run) => record(endedWhole(run, FAILED, { type: 'retry', at: 'head', delayMs: 5000 })),
  };
}
