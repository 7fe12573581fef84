import { describe, expect, it } from 'vitest';
import { KubeError } from '../../../src/errors.ts';
import { TokenReviews } from '../../../src/sources/http/token-access.ts';

/** An API server that knows tokens which begin with `good`, and counts what it is asked. */
function rig() {
  let nowMs = 0;
  const asked: string[] = [];
  const gates: (() => void)[] = [];
  let isSlow = false;
  const reviews = new TokenReviews({
    namespace: 'default',
    now: () => nowMs,
    client: {
      request: async ({ path, body }) => {
        if (path.endsWith('subjectaccessreviews')) return { status: { allowed: true } };
        const { token } = JSON.parse(String(body)).spec;
        asked.push(token);
        if (isSlow) {
          const { promise, resolve } = Promise.withResolvers<void>();
          gates.push(resolve);
          await promise;
        }
        if (token === 'broken') throw new KubeError('unavailable', { status: 503, reason: 'ServiceUnavailable' });
        return { status: token.startsWith('good') ? { authenticated: true, user: { username: token } } : {} };
      },
    },
  });
  return {
    asked,
    ask: async (token: string, source = '10.0.0.1') => (await reviews.accessOf(token, 'a.sh', source)).type,
    pass: (ms: number) => (nowMs += ms),
    slow: () => (isSlow = true),
    go: () => gates.splice(0).forEach((open) => open()),
  };
}

describe('the review of a token', () => {
  it('is remembered for 60 s when it is allowed, for 5 s when it is not', async () => {
    const { ask, asked, pass } = rig();
    for (const passed of [0, 4999, 1, 54_999, 1]) {
      pass(passed);
      await ask('good');
      await ask('bad');
    }
    expect(asked.filter((token) => token === 'good')).toHaveLength(2);
    expect(asked.filter((token) => token === 'bad')).toHaveLength(3);
  });

  it('is one for all requests of one moment', async () => {
    const { ask, asked, slow, go } = rig();
    slow();
    const all = [ask('good'), ask('good'), ask('good')];
    go();
    expect(await Promise.all(all)).toEqual(['allowed', 'allowed', 'allowed']);
    expect(asked).toEqual(['good']);
  });

  it('of a caller that was known in the last hour is not kept out by 10,000 tokens of strangers', async () => {
    const { ask, asked, pass } = rig();
    expect(await ask('good')).toBe('allowed');
    pass(61_000);
    for (let count = 0; count < 10_000; count++) await ask(`bad-${count}`, `10.0.${count % 250}.1`);
    expect(await ask('bad-again', '10.9.9.9')).toBe('busy');

    expect(await ask('good')).toBe('allowed');
    expect(asked.filter((token) => token.startsWith('bad'))).toHaveLength(50);
  });

  it('of a new caller is not kept out by the tokens that one other client sends', async () => {
    const { ask } = rig();
    for (let count = 0; count < 1000; count++) await ask(`bad-${count}`, '10.0.0.9');
    expect(await ask('good-but-there', '10.0.0.9')).toBe('busy');

    expect(await ask('good')).toBe('allowed');
  });

  it('of strangers runs 50 times at once', async () => {
    const { ask, pass, slow, asked, go } = rig();
    slow();
    const all: Promise<string>[] = [];
    for (let count = 0; count < 60; count++) {
      all.push(ask(`bad-${count}`, `10.0.0.${count}`));
      pass(1000);
    }
    expect(asked).toHaveLength(50);
    go();
    expect((await Promise.all(all)).filter((type) => type === 'busy')).toHaveLength(10);
  });

  it('that fails is not remembered', async () => {
    const { ask, asked } = rig();
    await expect(ask('broken')).rejects.toThrow('unavailable');
    await expect(ask('broken')).rejects.toThrow('unavailable');
    expect(asked).toHaveLength(2);
  });
});
