import { describe, expect, it } from 'vitest';
import { HookFailedError, KubeError, PatchError } from '../../src/errors.ts';
import type { AskTrigger } from '../../src/hook/trigger.ts';
import { askConversion } from '../../src/operator/webhooks/ask-conversion.ts';
import { judgeAdmission } from '../../src/operator/webhooks/judge-admission.ts';
import type { AskOutcome } from '../../src/run/asked-runs.ts';
import { never } from '../support/hook-rig.ts';
import { reviewTrigger as trigger } from '../support/review-trigger.ts';
import { recordingLogger } from '../support/recording-logger.ts';

const lost = new HookFailedError('hook a.sh failed: the spawner process ended (SIGKILL) during the run');

async function judged(outcome: AskOutcome) {
  const options = { ready: async () => async () => outcome, log: recordingLogger(), signal: never };
  return judgeAdmission(trigger, () => null, options);
}

describe('a hook that lost its process or its files', () => {
  const outcome: AskOutcome = { type: 'failed', by: 'environment', error: lost };

  it('is asked again by the API server, and denies nothing', async () => {
    expect(await judged(outcome)).toMatchObject({ type: 'refused', status: 503 });
  });

  it('is asked again to convert', async () => {
    const answer = await askConversion(async () => async () => outcome, trigger, never);

    expect(answer).toMatchObject({ type: 'refused', status: 503 });
  });
});

describe('a request is denied', () => {
  it.each([
    ['a hook that failed by itself', { type: 'failed', by: 'hook', error: lost }],
    [
      'a patch that an API server could not take',
      {
        type: 'failed',
        by: 'environment',
        error: new PatchError('no', { cause: new KubeError('busy', { status: 503, reason: 'ServiceUnavailable' }) }),
      },
    ],
  ] satisfies readonly [string, AskOutcome][])('for %s', async (_title, outcome) => {
    expect(await judged(outcome)).toMatchObject({ type: 'failed', status: 403 });
  });
});

describe('a module that ends without an answer', () => {
  it('is told which calls it needs, and that something may not be awaited', async () => {
    const ready = async () => async (asked: AskTrigger) => {
      expect(() => asked.check?.({ admission: '', conversion: '' })).toThrow('ended without answer.allow()');
      return { type: 'failed', by: 'output', error: new Error('no') } as const;
    };
    const verdict = await judgeAdmission(trigger, () => null, {
      ready,
      isModule: true,
      log: recordingLogger(),
      signal: never,
    });

    expect(verdict).toMatchObject({ status: 500, reason: expect.stringContaining('is something not awaited?') });
  });
});
