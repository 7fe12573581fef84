import { describe, expect, it } from 'vitest';
import { runTable } from '../../src/cli/views/run-list.ts';
import { runText } from '../../src/cli/views/run-text.ts';
import { HookFailedError } from '../../src/errors.ts';
import { readRunRecord } from '../../src/hook/run-record-reader.ts';
import type { AskTrigger } from '../../src/hook/trigger.ts';
import { RunHistory } from '../../src/run/history.ts';
import { endedWhole, type RunEvent } from '../../src/run/journal.ts';
import type { Next } from '../../src/run/policy.ts';
import { runLog } from '../../src/run/run-log.ts';
import { newRun, type RunOutcome } from '../../src/run/run.ts';
import { createOutputLog } from '../../src/runner/output-log.ts';
import { hookWith } from '../support/bindings.ts';
import { recordingLogger } from '../support/recording-logger.ts';
import { taskOf } from '../support/unit-rig.ts';

const trigger: AskTrigger = {
  type: 'ask',
  binding: {
    type: 'kubernetesValidating',
    name: 'pods.example.com',
    rules: [],
    matchPolicy: 'Equivalent',
    sideEffects: 'None',
    timeoutSeconds: 10,
    matchConditions: [],
    includeSnapshotsFrom: [],
  },
  contextType: 'Validating',
  members: {},
  about: { operation: 'CREATE', kind: 'Pod', namespace: 'default', name: 'web', user: 'alice' },
};
const CONVERSION: AskTrigger = {
  type: 'ask',
  binding: {
    type: 'kubernetesCustomResourceConversion',
    name: 'c',
    crdName: 'crontabs.example.com',
    conversions: [],
    includeSnapshotsFrom: [],
  },
  contextType: 'Conversion',
  members: {},
};

const cost = { durationMs: 3, usage: {} };
const decided = (allowed: boolean, message = ''): RunOutcome => ({
  type: 'succeeded',
  cost,
  applied: [],
  verdict: { allowed, message },
});
const failedBy = (by: 'hook' | 'environment'): RunOutcome => ({
  type: 'failed',
  by,
  error: new HookFailedError('no', { ending: { exitCode: 3, timedOut: false } }),
});
const LATER: RunOutcome = { type: 'later', cost, applied: [] };
const ANSWER: Next = { type: 'answer' };
const LATE: Next = { type: 'answer', isLate: true };

/** A run of this request that ended so: its line in the log, and its record. */
function ended(outcome: RunOutcome, { next = ANSWER, asked = trigger }: { next?: Next; asked?: AskTrigger } = {}) {
  const log = recordingLogger();
  const history = new RunHistory({ now: () => 1000 });
  const journal = runLog({ log, outputLog: createOutputLog({ log, logProxyHookJson: false }) });
  const run = newRun(taskOf(hookWith('pods.sh'), asked), '');
  const events: readonly RunEvent[] = [{ type: 'started', run, waitedMs: 0 }, endedWhole(run, outcome, next)];
  for (const event of events) for (const subscriber of [history, journal]) subscriber.record(event);
  return { line: log.lines[0], record: history.find(run.id), history };
}

describe('a run that answered an admission request', () => {
  it('is logged with what the request was about, who sent it, and what became of it', () => {
    expect(ended(decided(false, 'no \u001b[31m\nhost network')).line).toEqual({
      level: 'info',
      message: 'hook finished',
      fields: {
        hook: 'pods.sh',
        binding: 'pods.example.com',
        event: 'Validating CREATE Pod default/web',
        run: expect.any(String),
        user: 'alice',
        verdict: 'denied',
        message: String.raw`no \u001b[31m\nhost network`,
        durationMs: 3,
      },
    });
    expect(ended(decided(true)).line?.fields).toMatchObject({ verdict: 'allowed' });
    expect(String(ended(decided(false, 'x'.repeat(9000))).line?.fields['message'])).toHaveLength(501);
  });

  it.each([
    ['error', 'hook failed, and the request is denied', 'denied', { outcome: failedBy('hook') }],
    ['error', 'hook failed, and its caller may ask again', undefined, { outcome: failedBy('environment') }],
    [
      'error',
      'hook failed, and its caller does not wait any longer',
      undefined,
      { outcome: failedBy('hook'), next: LATE },
    ],
    ['error', 'hook failed, and nothing is converted', undefined, { outcome: failedBy('hook'), asked: CONVERSION }],
    ['warn', 'hook cannot do its work yet, and the request is denied', 'denied', { outcome: LATER }],
  ] as const)('is logged at level %s: %s', (level, message, verdict, { outcome, ...more }) => {
    const { line } = ended(outcome, more);

    expect(line).toMatchObject({ level, message });
    expect(line?.fields['verdict']).toBe(verdict);
  });

  it('is remembered with its object, its sender and its verdict', () => {
    const { record, history } = ended(decided(false, 'host network'));

    expect(record).toMatchObject({
      outcome: 'succeeded',
      objects: [{ kind: 'Pod', namespace: 'default', name: 'web', event: 'CREATE' }],
      request: { user: 'alice', verdict: 'denied', message: 'host network' },
    });
    expect(readRunRecord(JSON.parse(JSON.stringify(record)))).toEqual(record);
    expect(history.list({ object: 'Pod/default/web', limit: 1 }).runs).toHaveLength(1);
    expect(history.objects({})).toEqual([]);
    expect(runTable([record], 1000, false)).toMatch(/Validating CREATE Pod default\/web .* denied /);
    const text = runText(record, 1000);
    expect(text).toMatch(/^user +alice$/m);
    expect(text).toMatch(/^verdict +denied: host network$/m);
    expect(ended(failedBy('hook')).record.request).toEqual({ user: 'alice', verdict: 'denied' });
    expect(ended(decided(true)).record.request).toEqual({ user: 'alice', verdict: 'allowed' });
  });
});
