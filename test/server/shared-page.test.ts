import { expect, it } from 'vitest';
import { sharedPage } from '../../src/server/shared-page.ts';

function rig({ keepMs = 200, buildMs = 0 } = {}) {
  let nowMs = 0;
  const built: number[] = [];
  const ask = sharedPage(
    async () => {
      built.push(nowMs);
      nowMs += buildMs;
      return { status: 200, type: 'text/plain', body: `${built.length}` };
    },
    { keepMs, now: () => nowMs },
  );
  return {
    built,
    body: async () => String((await ask()).body),
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

it('is built once for 200 who ask at the same time', async () => {
  const { body, built } = rig();

  const bodies = await Promise.all(Array.from({ length: 200 }, body));

  expect(new Set(bodies)).toEqual(new Set(['1']));
  expect(built).toHaveLength(1);
});

it('serves for 200 ms, then is built again', async () => {
  const { body, pass } = rig();
  await body();

  pass(199);
  expect(await body()).toBe('1');
  pass(1);

  expect(await body()).toBe('2');
});

it('serves for ten times as long as it took to build, so that building takes a tenth of the time at most', async () => {
  const { body, pass } = rig({ buildMs: 100 });
  await body();

  pass(999);
  expect(await body()).toBe('1');
  pass(1);

  expect(await body()).toBe('2');
});

it('serves for 5 s at most', async () => {
  const { body, pass } = rig({ buildMs: 3000 });
  await body();

  pass(4999);
  expect(await body()).toBe('1');
  pass(1);

  expect(await body()).toBe('2');
});

it('is the same bytes for all who get it', async () => {
  const ask = sharedPage(() => ({ status: 200, type: 'text/plain', body: 'é' }), { keepMs: 200 });

  const [one, other] = await Promise.all([ask(), ask()]);

  expect(one.body).toBe(other.body);
  expect(one.body).toEqual(Buffer.from('é'));
});

it('that failed is built again for the next request', async () => {
  let builds = 0;
  const ask = sharedPage(
    () => {
      builds += 1;
      if (builds === 1) throw new Error('broken');
      return { status: 200, type: 'text/plain', body: 'well' };
    },
    { keepMs: 200 },
  );

  await expect(ask()).rejects.toThrow('broken');

  expect(String((await ask()).body)).toBe('well');
});

it('that is not built after 10 s does not block later requests', async () => {
  let nowMs = 0;
  const stuck = Promise.withResolvers<never>();
  let builds = 0;
  const ask = sharedPage(
    async () => {
      builds += 1;
      return builds === 1 ? stuck.promise : { status: 200, type: 'text/plain', body: 'well' };
    },
    { keepMs: 200, now: () => nowMs },
  );
  void ask();

  nowMs = 10_000;

  expect(String((await ask()).body)).toBe('well');
});
