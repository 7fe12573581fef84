import { isJsonObject, startSandbox, type Sandbox } from '@hooklet/sandbox';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { LeaseLostError } from '../../../../src/errors.ts';
import { CONFIG_MAP, LEASES, SECOND, slicesRig, type RigMember, type SlicesRig } from '../../../support/slices-rig.ts';

const MERGE = 'application/merge-patch+json';

let sandbox: Sandbox;
let rig: SlicesRig;

beforeEach(async () => {
  vi.useFakeTimers({ now: Date.parse('2026-01-05T03:00:00Z') });
  sandbox = await startSandbox();
  rig = slicesRig({ sandbox });
  onTestFinished(() => sandbox.close());
});
afterEach(() => {
  vi.useRealTimers();
});

/** Three members that have 21, 21 and 22 slices, and have been at rest for a while. */
async function three(): Promise<readonly [RigMember, RigMember, RigMember]> {
  const members = [rig.join('a'), rig.join('b'), rig.join('c')] as const;
  await rig.passUntil(rig.isAllHeld);
  const slices = Array.from({ length: 64 }, (_, slice) => ({ holder: members[slice % 3]?.identity }));
  await edit(JSON.stringify({ version: 1, hash: 'mixed', moves: 0, slices }));
  await rig.pass(30 * SECOND);
  expect(rig.loads()).toEqual([21, 21, 22]);
  expect(rig.isAllHeld()).toBe(true);
  return members;
}

async function alone(): Promise<RigMember> {
  const member = rig.join('a');
  await rig.passUntil(rig.isAllHeld);
  return member;
}

async function edit(text: string): Promise<void> {
  await sandbox.call('PATCH', CONFIG_MAP, { data: { 'slices.json': text } }, MERGE);
}

async function storedText(): Promise<string> {
  const { body } = await sandbox.call('GET', CONFIG_MAP);
  return (body as { readonly data?: Readonly<Record<string, string>> }).data?.['slices.json'] ?? '';
}

async function leaseNames(): Promise<readonly string[]> {
  const { body } = await sandbox.call('GET', LEASES);
  const { items } = body as { readonly items: readonly { readonly metadata: { readonly name: string } }[] };
  return items.map(({ metadata }) => metadata.name);
}

describe('slices', () => {
  it('are all held within 200 ms by a member that is alone', async () => {
    const a = rig.join('a');

    expect(await rig.passUntil(rig.isAllHeld)).toBeLessThanOrEqual(200);

    expect(a.slices.owned.size).toBe(64);
    expect(a.slices.status).toMatchObject({ state: 'member', moves: [], unheld: [] });
    expect(a.slices.status).not.toHaveProperty('problem');
  });

  it('move to a newcomer 8 in 10 s, until both have 32 and none has moved twice', async () => {
    await alone();
    const b = rig.join('b');
    const seen = new Set<number>();

    for (let second = 0; second < 60; second += 1) {
      await rig.pass(SECOND);
      seen.add(b.work().length);
    }

    expect([...seen]).toEqual([0, 8, 16, 24, 32].slice([...seen].includes(0) ? 0 : 1));
    expect(rig.loads()).toEqual([32, 32]);
    await rig.pass(60 * SECOND);
    expect(rig.takes()).toBe(64 + 32);
  });

  it('move to the fourth of 4 members 16 times, no slice twice', async () => {
    await three();
    const before = rig.takes();

    rig.join('d');
    await rig.pass(300 * SECOND);

    expect(rig.loads()).toEqual([16, 16, 16, 16]);
    expect(rig.takes() - before).toBe(16);
  });

  it.each([0, 500, 1000, 1500])(
    'of a member that is killed are held again by 2 others within 18 s, and 13 s pass before (%i ms into a round)',
    async (offsetMs) => {
      const [, , c] = await three();
      await rig.pass(offsetMs);

      c.kill();
      await rig.pass(13_000);
      expect(rig.isAllHeld()).toBe(false);

      expect(13_000 + (await rig.passUntil(rig.isAllHeld))).toBeLessThanOrEqual(18_000);
      expect(rig.loads()).toEqual([32, 32]);
    },
  );

  it('of a member that leaves are all held by the 2 others within 3 s', async () => {
    const [, , c] = await three();

    c.leave();

    expect(await rig.passUntil(() => !c.isThere())).toBeLessThanOrEqual(1000);
    expect(await rig.passUntil(rig.isAllHeld)).toBeLessThanOrEqual(3000);
    expect(rig.loads()).toEqual([32, 32]);
    expect(c.error()).toBeUndefined();
    expect(c.slices.status.state).toBe('ended');
  });

  it('are all held within 200 ms of its start by one that comes after the last has left', async () => {
    const a = await alone();
    a.leave();
    await rig.passUntil(() => !a.isThere());

    rig.join('b');

    expect(await rig.passUntil(rig.isAllHeld)).toBeLessThanOrEqual(200);
  });

  it('are held by one that comes after the last was killed, 15 s after its start and not before', async () => {
    const a = await alone();
    a.kill();

    rig.join('b');
    const took = await rig.passUntil(rig.isAllHeld);

    expect(took).toBeGreaterThanOrEqual(15 * SECOND);
    expect(took).toBeLessThanOrEqual(16 * SECOND);
  });

  it('of a member that is cut off are lost 10 s after its last renewal, and held by others 15 s after it', async () => {
    const [a] = await three();
    const cutAt = performance.now();
    a.client.link = 'down';

    await rig.passUntil(() => a.slices.lost.aborted);
    const lostAfterMs = performance.now() - cutAt;
    await rig.passUntil(rig.isAllHeld);

    expect(lostAfterMs).toBeLessThanOrEqual(10.1 * SECOND);
    expect(lostAfterMs).toBeGreaterThan(7 * SECOND);
    expect(performance.now() - cutAt).toBeGreaterThan(12.9 * SECOND);
    expect(a.error()).toBeInstanceOf(LeaseLostError);
    expect(a.slices.owned.size).toBe(0);
    expect(a.slices.status.state).toBe('lost');
  });

  it('stay where they are through 7 s without the API server, and answers lost for 6 s', async () => {
    const members = await three();
    const before = rig.takes();

    for (const { client } of members) client.link = 'down';
    await rig.pass(7 * SECOND);
    for (const { client } of members) client.link = 'up';
    await rig.pass(30 * SECOND);
    for (const { client } of members) client.link = 'lost';
    await rig.pass(6 * SECOND);
    for (const { client } of members) client.link = 'up';
    await rig.pass(30 * SECOND);

    expect(rig.isAllHeld()).toBe(true);
    expect(rig.takes()).toBe(before);
  });

  it('are not taken by a member that stood still for 60 s between its last look and its work', async () => {
    const b = rig.join('b');
    let lists = 0;
    b.client.refuse = ({ method, path }) => {
      if (method === 'GET' && path === LEASES) lists += 1;
      if (lists === 3) b.stop();
      return undefined;
    };
    await rig.pass(5 * SECOND);
    expect([lists, b.work()]).toEqual([3, []]);
    const c = rig.join('c');
    await rig.pass(60 * SECOND);
    expect(c.work().length).toBe(64);

    b.wake();
    await rig.pass(5 * SECOND);

    expect(b.error()).toBeInstanceOf(LeaseLostError);
    expect(rig.loads()).toEqual([64]);
  });

  it('are known to be lost by who checks first after 60 s of standing still', async () => {
    const [a] = await three();
    a.stop();
    await rig.pass(60 * SECOND);
    expect(rig.loads()).toEqual([0, 32, 32]);

    a.wake();
    a.slices.check();

    expect(a.slices.lost.aborted).toBe(true);
    expect(a.slices.owned.size).toBe(0);
  });

  it('stay where they are when somebody deletes the ConfigMap, which is there again within 12 s', async () => {
    await three();
    const [before, takes] = [rig.members.map((one) => one.work()), rig.takes()];

    await sandbox.call('DELETE', CONFIG_MAP);
    expect(await msUntilWritten()).toBeLessThanOrEqual(12_000);
    await rig.pass(30 * SECOND);

    expect(rig.members.map((one) => one.work())).toEqual(before);
    expect(rig.takes()).toBe(takes);
  });

  it.each([
    ['is no JSON', '{"version":'],
    ['has 1 slice', '{"version":1,"hash":"mixed","moves":0,"slices":[{"holder":"a"}]}'],
    ['is too long', ' '.repeat(200_000)],
    ['is gone', ''],
  ])('stay where they are when the text of the ConfigMap %s, and it is written anew within 12 s', async (_, text) => {
    await three();
    const takes = rig.takes();

    await edit(text);
    expect(await msUntilWritten()).toBeLessThanOrEqual(12_000);

    expect(rig.isAllHeld()).toBe(true);
    expect((await storedText()).match(/"holder":"[abc]"/g)).toHaveLength(64);
    expect(rig.takes()).toBe(takes);
  });

  it('stay where they are, and nothing is written, when a later version wrote the ConfigMap', async () => {
    const members = await three();

    await edit('{"version":2,"slices":"others"}');
    await rig.pass(60 * SECOND);

    expect(rig.isAllHeld()).toBe(true);
    expect(await storedText()).toBe('{"version":2,"slices":"others"}');
    expect(members[0].slices.status.problem).toMatch(
      /default\/hooklet-slices.* version: got 2, expected 1; .*delete it/,
    );
  });

  it.each([
    ['leave', (one: RigMember) => one.leave(), 3 * SECOND],
    ['die', (one: RigMember) => one.kill(), 25 * SECOND],
  ])(
    'are not taken by a member that divides by another hash, which says so, until all that hold some %s',
    async (_, end, limitMs) => {
      const a = await alone();
      const b = rig.join('b', 'fnv1a');
      await rig.pass(60 * SECOND);

      expect([a.work().length, b.work().length]).toEqual([64, 0]);
      expect(b.slices.status).toMatchObject({
        problem: expect.stringMatching(
          /default\/hooklet-slices.* hash: got mixed, expected fnv1a; .*--shards-server-side/,
        ),
        isWaiting: true,
      });
      expect(b.lines.filter(({ message }) => message === 'others divide objects in another way, waiting')).toHaveLength(
        1,
      );
      end(a);
      await rig.passUntil(() => b.work().length === 64, limitMs);
      expect(await storedText()).toContain('"hash":"fnv1a"');
      expect(b.slices.status).not.toHaveProperty('problem');
      expect(b.slices.status).not.toHaveProperty('isWaiting');
    },
  );

  it('stay with the members of one hash also when the ConfigMap is deleted while one of another is there', async () => {
    const a = await alone();
    const b = rig.join('b', 'fnv1a');
    const takes = rig.takes();
    for (let round = 0; round < 10; round += 1) {
      await rig.pass(4.3 * SECOND);
      await sandbox.call('DELETE', CONFIG_MAP);
    }
    await rig.pass(60 * SECOND);

    expect([a.work().length, b.work().length]).toEqual([64, 0]);
    expect(rig.takes()).toBe(takes);
  });

  it('go where an edit of the ConfigMap says, once those that work on them have stopped', async () => {
    const [a] = await three();
    const slices = Array.from({ length: 64 }, () => ({ holder: 'a' }));

    await edit(JSON.stringify({ version: 1, hash: 'mixed', moves: 0, slices }));
    // At the same time the others begin to take their part again, 8 in 10 s.
    await rig.passUntil(() => a.work().length >= 48, 20 * SECOND);
    expect(a.work().length).toBeGreaterThanOrEqual(48);
    await rig.passUntil(rig.isAllHeld, 10 * SECOND);
    expect(rig.isAllHeld()).toBe(true);
  });

  it('stay with the leader where slice 00 is concerned, whoever an edit of the ConfigMap gives it to', async () => {
    const [a] = await three();
    const takes = rig.takes();

    for (const edited of [{ holder: 'b' }, { holder: 'a', wanted: 'b' }, { holder: '' }, { holder: 'x' }]) {
      const slices = Array.from({ length: 64 }, (_, slice) => ({ holder: 'abc'[slice % 3] ?? '' }));
      await edit(JSON.stringify({ version: 1, hash: 'mixed', moves: 0, slices: [edited, ...slices.slice(1)] }));
      await rig.pass(30 * SECOND);
    }

    expect(a.work()).toContain(0);
    expect(rig.takes()).toBe(takes);
    expect(await storedText()).toContain('"slices":[\n{"holder":"a"},');
  });

  it('that an edit gives to somebody unknown stay with the member that works on them', async () => {
    await three();
    const takes = rig.takes();

    await edit(
      JSON.stringify({
        version: 1,
        hash: 'mixed',
        moves: 0,
        slices: Array.from({ length: 64 }, () => ({ holder: 'x' })),
      }),
    );
    await rig.pass(30 * SECOND);

    expect(rig.isAllHeld()).toBe(true);
    expect(rig.takes()).toBe(takes);
    expect(await storedText()).not.toContain('"x"');
  });

  it('stay where they are when somebody deletes the Leases of all members', async () => {
    await three();
    const takes = rig.takes();

    for (const name of await leaseNames()) await sandbox.call('DELETE', `${LEASES}/${name}`);
    await rig.pass(60 * SECOND);

    expect(rig.isAllHeld()).toBe(true);
    expect(rig.takes()).toBe(takes);
    expect(await leaseNames()).toHaveLength(3);
  });

  it('stay where they are when the labels of all Leases and then the ConfigMap are taken away, and somebody comes', async () => {
    await three();
    for (const name of await leaseNames()) {
      await sandbox.call('PATCH', `${LEASES}/${name}`, { metadata: { labels: { 'hooklet.dev/shards': null } } }, MERGE);
    }
    await rig.pass(5 * SECOND);

    await sandbox.call('DELETE', CONFIG_MAP);
    rig.join('d');
    await rig.pass(60 * SECOND);

    expect(rig.alive()).toHaveLength(4);
    expect(rig.isAllHeld()).toBe(true);
  });

  it('of a member whose Lease somebody empties by hand are lost at its next renewal, and not taken before 15 s', async () => {
    const [a] = await three();
    const own = await leaseOfHolder('a');
    await sandbox.call('PATCH', `${LEASES}/${own}`, { spec: { holderIdentity: '' } }, MERGE);

    await rig.passUntil(() => a.slices.lost.aborted, 3 * SECOND);

    expect(await rig.passUntil(rig.isAllHeld)).toBeGreaterThan(12 * SECOND);
    expect(rig.loads()).toEqual([32, 32]);
  });

  it('name the whole missing rule as the problem while Leases are forbidden', async () => {
    const a = rig.join('a');
    a.client.refuse = ({ path }) => (path.includes('leases') ? 403 : undefined);
    await rig.pass(5 * SECOND);
    expect(a.slices.status.problem).toContain('resources: [leases], verbs: [get, list, create, update, delete]}');
  });

  it('name the missing rule as the problem while the ConfigMap is forbidden, and are held when it is granted', async () => {
    const a = rig.join('a');
    a.client.refuse = ({ path }) => (path.includes('configmaps') ? 403 : undefined);
    await rig.pass(20 * SECOND);

    expect(a.slices.status.problem).toContain(
      'a Role in the namespace default needs the rule {apiGroups: [""], resources: [configmaps], verbs: [get, create, update]}',
    );
    expect(a.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      'warn slices cannot be divided, retrying',
    ]);
    a.client.refuse = () => undefined;
    expect(await rig.passUntil(rig.isAllHeld)).toBeLessThanOrEqual(3000);
    expect(a.slices.status).not.toHaveProperty('problem');
  });

  it('name the missing rule as the problem while Leases may not be listed, and are not taken', async () => {
    const a = rig.join('a');
    a.client.refuse = ({ method, path }) => (method === 'GET' && path === LEASES ? 403 : undefined);
    await rig.pass(20 * SECOND);

    expect(a.slices.status.problem).toContain('resources: [leases], verbs: [get, list, create, update, delete]');
    expect(a.slices.owned.size).toBe(0);
  });

  it('have at most 18 Leases where 100 members came and left one after the other, for 3 s each', async () => {
    for (let round = 0; round < 100; round += 1) {
      const one = rig.join(`m${round}`);
      await rig.pass(3 * SECOND);
      one.leave();
      await rig.passUntil(() => !one.isThere());
      expect((await leaseNames()).length).toBeLessThanOrEqual(18);
    }
    rig.join('last');
    await rig.pass(60 * SECOND);

    expect(await leaseNames()).toHaveLength(1);
  });

  it('have 1 Lease a minute after 20 members were killed', async () => {
    for (let round = 0; round < 20; round += 1) {
      const one = rig.join(`m${round}`);
      await rig.pass(SECOND);
      one.kill();
    }
    rig.join('last');
    await rig.pass(60 * SECOND);

    expect(rig.isAllHeld()).toBe(true);
    expect(await leaseNames()).toHaveLength(1);
  });

  it('cost 3 members at rest 3.4 requests a second at most, of which 1.6 write', async () => {
    const members = await three();
    const made = () => members.flatMap(({ client }) => client.requests);
    const before = made().length;

    await rig.pass(600 * SECOND);

    const requests = made().slice(before);
    expect(requests.length / 600).toBeLessThanOrEqual(3.4);
    expect(requests.filter(({ method }) => method !== 'GET').length / 600).toBeLessThanOrEqual(1.6);
    console.log(requests.length / 600);
  });
});

describe('a member that leaves', () => {
  it('ends without an error where the API server is away and its work is over', async () => {
    const a = await alone();
    a.client.link = 'down';

    a.leave();
    await rig.passUntil(() => !a.isThere(), 25 * SECOND);

    expect(a.error()).toBeUndefined();
  });

  it('tells the handler to hurry after 15 s, and fails after 20 s where a slice is still worked on', async () => {
    rig = slicesRig({ sandbox, giveTakesMs: () => Infinity, isDeaf: true });
    const a = await alone();

    a.leave();
    const took = await rig.passUntil(() => !a.isThere(), 25 * SECOND);
    rig.join('b');

    expect(Math.round(took / SECOND)).toBe(20);
    expect(a.error()).toBeInstanceOf(LeaseLostError);
    expect(await rig.passUntil(rig.isAllHeld)).toBeGreaterThan(14 * SECOND);
  });
});

describe('a slice that is wanted', () => {
  it('is not taken while its holder still works on it, and its holder is told to end after giveMs', async () => {
    rig = slicesRig({ sandbox, giveTakesMs: () => 6 * SECOND });
    await alone();
    const b = rig.join('b');

    await rig.passUntil(() => b.slices.status.moves.length > 0);
    const took = await rig.passUntil(() => b.work().length > 0);

    expect(took).toBeGreaterThanOrEqual(5 * SECOND);
    expect(took).toBeLessThanOrEqual(10 * SECOND);
    expect(rig.loads()).toEqual([8, 56]);
  });

  it('stays with its holder when the member that wanted it is killed', async () => {
    rig = slicesRig({ sandbox, giveTakesMs: () => 6 * SECOND });
    const a = await alone();
    const b = rig.join('b');
    await rig.passUntil(() => b.slices.status.moves.length > 0);

    b.kill();
    await rig.pass(30 * SECOND);

    expect(a.work().length).toBe(64);
    expect(a.slices.status.moves).toEqual([]);
  });
});

/** The time until the ConfigMap gives all slices to members; at most a minute. */
async function msUntilWritten(): Promise<number> {
  for (let seconds = 0; seconds < 60; seconds += 1) {
    if ((await storedText()).match(/"holder":"[abc]"/g)?.length === 64) return seconds * SECOND;
    await rig.pass(SECOND);
  }
  return Infinity;
}

async function leaseOfHolder(holder: string): Promise<string> {
  const { body } = await sandbox.call('GET', LEASES);
  const items = isJsonObject(body) ? (body['items'] as unknown as readonly Item[]) : [];
  return items.find(({ spec }) => spec.holderIdentity === holder)?.metadata.name ?? '';
}

interface Item {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly holderIdentity?: string };
}
