import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KindNotFoundError } from '../../src/errors.ts';
import { withRetries, type RetryRule } from '../../src/effects/retries.ts';
import { refusal } from '../support/kube-conversation.ts';

const rule: RetryRule = { retriesConflicts: true, retriesLost: true };
const lost = refusal(0, 'ECONNRESET', 'no answer');
const throttled = refusal(429, 'TooManyRequests', 'slow down', 2000);

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});

afterEach(() => {
  vi.useRealTimers();
});

describe('what is tried again', () => {
  it.each([
    { title: 'a conflict', error: refusal(409, 'Conflict', ''), rule, delayMs: 10 },
    {
      title: 'a conflict that another attempt would meet again',
      error: refusal(409, 'Conflict', ''),
      rule: { ...rule, retriesConflicts: false },
      delayMs: undefined,
    },
    {
      title: '429 with Retry-After',
      error: throttled,
      rule: { retriesConflicts: false, retriesLost: false },
      delayMs: 2000,
    },
    { title: '429 with Retry-After: 0', error: refusal(429, 'TooManyRequests', '', 0), rule, delayMs: 10 },
    { title: '429 without', error: refusal(429, 'TooManyRequests', ''), rule, delayMs: 10 },
    { title: '500', error: refusal(500, 'InternalError', ''), rule, delayMs: 10 },
    { title: '503 with Retry-After', error: refusal(503, 'ServiceUnavailable', '', 1000), rule, delayMs: 1000 },
    { title: 'a lost connection', error: lost, rule, delayMs: 10 },
    {
      title: 'a lost connection where twice is too much',
      error: lost,
      rule: { ...rule, retriesLost: false },
      delayMs: undefined,
    },
    { title: 'the time limit of a request', error: refusal(0, 'Timeout', ''), rule, delayMs: undefined },
    { title: '403', error: refusal(403, 'Forbidden', ''), rule, delayMs: undefined },
    { title: '404', error: refusal(404, 'NotFound', ''), rule, delayMs: undefined },
    { title: '422', error: refusal(422, 'Invalid', ''), rule, delayMs: undefined },
    { title: 'an unknown kind', error: new KindNotFoundError('no kind'), rule, delayMs: undefined },
  ])('$title: $delayMs', async ({ error, rule: asked, delayMs }) => {
    const { delaysMs } = await attempts([error, undefined], { rule: asked });

    expect(delaysMs[0]).toBe(delayMs);
  });

  it('after delays that grow fivefold', async () => {
    const { delaysMs } = await attempts([lost, lost, lost, undefined]);

    expect(delaysMs).toEqual([10, 50, 250]);
  });
});

describe('an operation', () => {
  it('is tried four times at most', async () => {
    const { outcome, tries } = await attempts([lost, lost, lost, lost, undefined]);

    expect(outcome).toBe(lost);
    expect(tries).toBe(4);
  });

  it('ends with the first success', async () => {
    const { outcome, tries } = await attempts([lost, undefined]);

    expect(outcome).toBe('done');
    expect(tries).toBe(2);
  });

  it('waits as long as the server asks', async () => {
    await attempts([throttled, undefined]);

    expect(Date.now()).toBe(2000);
  });

  it('does not wait half a minute for a busy server', async () => {
    const { outcome, tries } = await attempts([refusal(429, 'TooManyRequests', '', 31_000)]);

    expect(outcome).toMatchObject({ status: 429 });
    expect(tries).toBe(1);
  });

  it('is not tried again once the run is stopped', async () => {
    const controller = new AbortController();
    const running = attempts([throttled, undefined], { controller });
    controller.abort();

    const { outcome, tries } = await running;

    expect(outcome).toBe(throttled);
    expect(tries).toBe(1);
  });
});

interface AttemptsOptions {
  readonly rule?: RetryRule;
  readonly controller?: AbortController;
}

/** Makes attempts that fail with these errors, until one is undefined; says how it ended, and the delays between them. */
async function attempts(
  errors: readonly (Error | undefined)[],
  { rule: asked = rule, controller = new AbortController() }: AttemptsOptions = {},
) {
  let tries = 0;
  const delaysMs: number[] = [];
  const attempt = async (): Promise<string> => {
    const error = errors[tries];
    tries += 1;
    if (error !== undefined) throw error;
    return 'done';
  };
  const onRetry = (_error: unknown, delayMs: number): number => delaysMs.push(delayMs);
  const running = withRetries(attempt, { rule: asked, signal: controller.signal, onRetry }).catch(
    (error: unknown) => error,
  );
  await vi.runAllTimersAsync();
  const outcome = await running;
  return { outcome, tries, delaysMs };
}
