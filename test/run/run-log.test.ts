import { beforeEach, describe, expect, it } from 'vitest';
import { runLog } from '../../src/run/run-log.ts';
import { newRun } from '../../src/run/run.ts';
import { endedWhole, type RunJournal } from '../../src/run/journal.ts';
import { createOutputLog } from '../../src/runner/output-log.ts';
import { hookWith, kubernetesBinding } from '../support/bindings.ts';
import { recordingLogger } from '../support/recording-logger.ts';
import { eventOf, taskOf } from '../support/unit-rig.ts';

const binding = kubernetesBinding('pods');
const run = newRun(taskOf(hookWith('hook.sh', [binding]), eventOf(binding, 'web')), 'main');
const place = { hook: 'hook.sh', binding: 'pods', queue: 'main', event: 'Added default/web', run: run.id };
const operation = {
  operation: 'MergePatch',
  target: { kind: 'ConfigMap' },
  name: 'cm',
  mergePatch: {},
  ignoreMissingObject: false,
  ignoreHookError: false,
} as const;
const applied = { index: 1, operation: 'MergePatch', target: 'v1/ConfigMap/default/cm', change: 'patched' } as const;

let log: ReturnType<typeof recordingLogger>;
let journal: RunJournal;

beforeEach(() => {
  log = recordingLogger();
  journal = runLog({ log, outputLog: createOutputLog({ log, logProxyHookJson: false }) });
});

describe('the log of runs', () => {
  it('has what hooks print and log, with the run it belongs to', () => {
    const entry = { level: 'warn', message: 'to the log', fields: { reason: 'asked' } } as const;
    journal.record({ type: 'output', run, output: { type: 'line', line: { stream: 'stdout', line: 'printed' } } });
    journal.record({ type: 'output', run, output: { type: 'entry', entry } });

    expect(log.lines).toEqual([
      { level: 'info', message: 'hook output', fields: { ...place, output: 'stdout', line: 'printed' } },
      { level: 'warn', message: 'to the log', fields: { ...place, hook_reason: 'asked' } },
    ]);
  });

  it.each([
    ['patched', 'info'],
    ['unchanged', 'debug'],
    ['absent', 'debug'],
  ] as const)('has what was applied: %s at level %s', (change, level) => {
    journal.record({ type: 'applied', run, operation, applied: { ...applied, change } });

    const fields = { hook: 'hook.sh', run: run.id, operation: 'MergePatch', object: 'v1/ConfigMap/default/cm', change };
    expect(log.lines).toEqual([{ level, message: 'patch applied', fields }]);
  });

  it('has what a run succeeded with', () => {
    const outcome = { type: 'succeeded', cost: { durationMs: 19.6, usage: {} }, applied: [applied] } as const;
    journal.record(endedWhole(run, outcome, { type: 'done' }));

    expect(log.lines).toEqual([
      { level: 'info', message: 'hook finished', fields: { ...place, durationMs: 20, patches: 1 } },
    ]);
  });

  it('has likely mistakes, and what counts of a failed run and could not be applied', () => {
    const error = new Error('refused');
    journal.record({ type: 'warned', run, warning: { type: 'likelyMistake', message: 'no meaning' } });
    journal.record({ type: 'warned', run, warning: { type: 'notApplied', what: 'metrics', error } });

    expect(log.lines).toEqual([
      { level: 'warn', message: 'hook output has a likely mistake', fields: { ...place, warning: 'no meaning' } },
      { level: 'warn', message: 'metrics of the failed run could not be applied', fields: { ...place, err: error } },
    ]);
  });

  it('has the reason and the message of a run that comes later, or failed, and what could not be written', () => {
    const result = { conditions: [], events: [], contexts: new Map(), reason: 'NoQuorum', message: 'waiting' };
    const error = new Error('refused');
    const cost = { durationMs: 1, usage: {} };
    journal.record(
      endedWhole(run, { type: 'later', cost, applied: [], result }, { type: 'retry', at: 'later', delayMs: 30_000 }),
    );
    journal.record(
      endedWhole(run, { type: 'failed', by: 'hook', error, result }, { type: 'retry', at: 'head', delayMs: 1 }),
    );
    journal.record({ type: 'warned', run, warning: { type: 'notReported', error } });

    const said = { reason: 'NoQuorum', message: 'waiting' };
    expect(log.lines).toMatchObject([
      { level: 'info', message: 'hook is to be run again later', fields: { ...said, again: 'again in 30s' } },
      { level: 'error', fields: said },
      { level: 'warn', message: 'conditions and Events of the run could not be written', fields: { err: error } },
    ]);
  });

  it('has what failed while the operator stops, but not what a reload cut short', () => {
    const error = new Error('ended');
    journal.record(endedWhole(run, { type: 'interrupted', by: 'reload', error }, { type: 'drop', why: 'gone' }));
    journal.record(endedWhole(run, { type: 'interrupted', by: 'shutdown', error }, { type: 'keep' }));

    expect(log.lines).toEqual([
      {
        level: 'warn',
        message: 'hook failed while shutting down, it is not run again',
        fields: { ...place, err: error },
      },
    ]);
  });
});
