import { describe, expect, it } from 'vitest';
import { KubeError, PatchError } from '../../../src/errors.ts';
import { applyAdopted } from '../../../src/operator/remote/adopted-runs.ts';
import type { Execution } from '../../../src/runner/executor.ts';
import { NO_FILES } from '../../support/job-executor-rig.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

const RUN = { hook: 'heavy.sh', runId: 'run-1', attempt: 1, startedAtMs: 0 };
const EXITED: Execution = { type: 'exited', cost: { durationMs: 5, usage: {} }, outputs: { ...NO_FILES, patch: '{}' } };

/** Applies a run that was taken over, where `apply` does what it says. */
async function adopting(apply: (signal: AbortSignal) => Promise<void>, signal = new AbortController().signal) {
  const events: string[] = [];
  const left = await applyAdopted(
    RUN,
    EXITED,
    {
      effects: {
        parse: async () => ({ operations: [], metrics: [], warnings: [] }),
        apply: async (_operations, _onApplied, ended) => {
          await apply(ended);
          return [];
        },
        applyMetrics: () => {},
      },
      events: { record: ({ message }) => void events.push(message) },
      log: recordingLogger(),
    },
    signal,
  );
  return { left, events };
}

describe('what the Job of an earlier leader asked for', () => {
  it('is applied', async () => {
    expect(await adopting(async () => {})).toEqual({ left: undefined, events: [] });
  });

  it('is told of when it is refused', async () => {
    const refused = adopting(async () => {
      throw new PatchError('it is forbidden', { cause: new KubeError('no', { status: 403, reason: 'Forbidden' }) });
    });

    expect(await refused).toEqual({
      left: undefined,
      events: ['hook heavy.sh: what run run-1 of an earlier leader asked for is not applied: it is forbidden'],
    });
  });

  it.each([
    ['is not reached', new PatchError('no answer', { cause: new KubeError('no', { status: 0, reason: '' }) })],
    ['was being asked', new Error('aborted')],
  ])('is left to the next leader when the operator ends while the API server %s', async (_what, error) => {
    const end = new AbortController();
    const left = adopting(async () => {
      end.abort();
      throw error;
    }, end.signal);

    expect(await left).toEqual({ left: 'left', events: [] });
  });
});
