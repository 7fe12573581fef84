import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readHeld } from '../../../src/server/certificates/self-made/held.ts';
import { anchorOf } from '../../../src/server/certificates/trust.ts';
import { DAY, HOUR, ModelCluster, ModelReplica, SETTLE_MS, type Crash } from '../../support/certificates/model.ts';

type Op =
  | { readonly type: 'work' | 'seeSecret' | 'seeBundles' | 'restart'; readonly who: number }
  | { readonly type: 'act'; readonly who: number; readonly crash: Crash }
  | { readonly type: 'register'; readonly who: number; readonly object: number }
  | { readonly type: 'pass'; readonly ms: number }
  | { readonly type: 'spoil'; readonly how: Spoiling };

type Spoiling = 'delete' | 'empty' | 'cut' | 'garbage' | 'no leaf' | 'no key of the authority' | 'no authority';

const who = fc.nat(2);
const crash = fc.constantFrom<Crash>('none', 'none', 'before the write', 'after the write');
const times = [1000, 20_000, 20_000, 61_000, HOUR, 3 * DAY, 4 * DAY];
const ordinary = fc.oneof(
  { arbitrary: fc.record({ type: fc.constant('work'), who }), weight: 12 },
  { arbitrary: fc.record({ type: fc.constantFrom('seeSecret', 'seeBundles'), who }), weight: 8 },
  { arbitrary: fc.record({ type: fc.constant('act'), who, crash }), weight: 6 },
  { arbitrary: fc.record({ type: fc.constant('register'), who, object: fc.nat(1) }), weight: 6 },
  { arbitrary: fc.record({ type: fc.constant('pass'), ms: fc.constantFrom(...times) }), weight: 10 },
  { arbitrary: fc.record({ type: fc.constant('restart'), who }), weight: 1 },
);
const spoiling = fc.record({
  type: fc.constant('spoil'),
  how: fc.constantFrom<Spoiling>(
    'delete',
    'empty',
    'cut',
    'garbage',
    'no leaf',
    'no key of the authority',
    'no authority',
  ),
});
const histories = (op: fc.Arbitrary<Op>): fc.Arbitrary<readonly Op[]> => fc.array(op, { minLength: 10, maxLength: 70 });

/** The only replica at work registers new certificates, and another one starts. */
const ALL_EXPIRED: readonly Op[] = [
  ...[4, 3, 4, 3, 4].map((days) => ({ type: 'pass', ms: days * DAY }) as const),
  { type: 'seeSecret', who: 0 },
  { type: 'pass', ms: 4 * DAY },
  { type: 'seeSecret', who: 0 },
  { type: 'act', who: 0, crash: 'none' },
  { type: 'work', who: 0 },
  { type: 'restart', who: 1 },
  { type: 'work', who: 1 },
];

/** The Secret is lost twice. */
const LATE: readonly Op[] = [
  { type: 'pass', ms: 7 * DAY },
  { type: 'spoil', how: 'delete' },
  { type: 'act', who: 0, crash: 'none' },
  { type: 'pass', ms: 3 * DAY },
  { type: 'spoil', how: 'delete' },
  { type: 'work', who: 0 },
];

const RUNS = Number(process.env['RUNS'] ?? 30);

/** Clocks are apart by 5 minutes. */
const AHEAD = [0, -150_000, 150_000];

function start() {
  const cluster = new ModelCluster();
  return { cluster, replicas: AHEAD.map((aheadMs) => new ModelReplica(cluster, aheadMs)) };
}

type World = ReturnType<typeof start>;

function apply({ cluster, replicas }: World, op: Op): void {
  if (op.type === 'pass') {
    cluster.elapsedMs += op.ms;
    return;
  }
  if (op.type === 'spoil') {
    cluster.write(cluster.secret, spoiled(cluster.secret.value, op.how));
    return;
  }
  const replica = replicas[op.who] ?? new ModelReplica(cluster, 0);
  if (op.type === 'act') replica.act(op.crash);
  else workOf(replica)[op.type](op);
  const isKilled = op.type === 'restart' || (op.type === 'act' && op.crash !== 'none');
  if (isKilled) replicas.splice(op.who, 1, new ModelReplica(cluster, AHEAD[op.who] ?? 0));
}

function workOf(replica: ModelReplica) {
  return {
    work: () => replica.work(),
    seeBundles: () => replica.seeBundles(),
    seeSecret: () => replica.seeSecret(),
    register: (op: Op) => replica.register(op.type === 'register' ? op.object : 0),
    restart: () => {},
  };
}

function spoiled(texts: World['cluster']['secret']['value'] = {}, how: Spoiling) {
  switch (how) {
    case 'delete':
      return undefined;
    case 'empty':
      return {};
    case 'cut':
      return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, text.slice(0, text.length / 2)]));
    case 'garbage':
      return Object.fromEntries(Object.keys(texts).map((key) => [key, '\u0000-----BEGIN CERTIFICATE-----']));
    case 'no leaf':
      return { ...texts, 'tls.crt': '', 'tls.key': '' };
    case 'no key of the authority':
      return { ...texts, 'ca.key': '' };
    case 'no authority':
      return { ...texts, 'ca.crt': '' };
  }
}

/** Every replica does everything, for a while. */
function settle({ cluster, replicas }: World): void {
  for (let round = 0; round < 8; round += 1) {
    for (const replica of replicas) replica.work();
    cluster.elapsedMs += SETTLE_MS;
  }
  for (const replica of replicas) {
    replica.seeSecret();
    replica.seeBundles();
  }
}

describe('replicas that make their certificates themselves', () => {
  function expectTrusted({ replicas }: World): void {
    for (const replica of replicas) if (replica.served.problem === undefined) expect(replica.isTrusted()).toBe(true);
  }

  // A replica that starts cannot see that an authority was made days ago and first registered now.
  it('are ready only with a certificate that every API server trusts, in any history of 3 replicas that do their work before hours pass', () => {
    fc.assert(
      fc.property(histories(fc.oneof({ arbitrary: ordinary, weight: 12 }, spoiling)), (ops) => {
        const world = start();
        settle(world);
        for (const op of ops) {
          if (op.type === 'pass' && op.ms >= HOUR) for (const replica of world.replicas) replica.work();
          apply(world, op);
          expectTrusted(world);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it.each([
    ['all certificates have expired', ALL_EXPIRED],
    ['an authority is registered days after it was made', LATE],
  ])('are ready only with a certificate that every API server trusts where %s', (_, ops) => {
    const world = start();
    settle(world);
    for (const op of ops) {
      apply(world, op);
      expectTrusted(world);
    }
  });

  it('fail no request until their certificate expires, whatever 3 replicas, crashes and the Secret do', () => {
    fc.assert(
      fc.property(histories(fc.oneof({ arbitrary: ordinary, weight: 12 }, spoiling)), (ops) => {
        const world = start();
        settle(world);
        let old = [...world.replicas];
        for (const op of ops) {
          old = old.filter((replica) => !replica.isExpired());
          apply(world, op);
          old = old.filter((replica) => world.replicas.includes(replica) && !replica.isExpired());
          expect(old.map((replica) => replica.isTrusted())).toEqual(old.map(() => true));
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('keep each authority in the Secret while a replica serves a valid certificate by it, in any history of 3 replicas', () => {
    fc.assert(
      fc.property(histories(ordinary), (ops) => {
        const world = start();
        settle(world);
        for (const op of ops) {
          apply(world, op);
          const held = readHeld(world.cluster.secret.value ?? {});
          for (const replica of world.replicas.filter((one) => !one.isExpired())) {
            const { chain } = replica.served.pair ?? { chain: [] };
            expect(anchorOf(chain, held.authorities, replica.now())).toBeDefined();
          }
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('all serve one certificate that is trusted, and have nothing left to do, after any history', () => {
    fc.assert(
      fc.property(histories(fc.oneof({ arbitrary: ordinary, weight: 12 }, spoiling)), (ops) => {
        const world = start();
        for (const op of ops) apply(world, op);

        settle(world);

        const { replicas } = world;
        expect(replicas.map(({ served }) => served.problem)).toEqual([undefined, undefined, undefined]);
        expect(replicas.map((replica) => replica.isTrusted())).toEqual([true, true, true]);
        expect(replicas.map((replica) => replica.step().type)).toEqual(['wait', 'wait', 'wait']);
        expect(new Set(replicas.map(({ served }) => String(served.serving?.cert))).size).toBe(1);
      }),
      { numRuns: RUNS },
    );
  });
});
