import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { carryOut } from '../../../src/server/certificates/self-made/carry-out.ts';
import {
  readHeld,
  SECRET_KEYS,
  textsOf,
  type Held,
  type SecretTexts,
} from '../../../src/server/certificates/self-made/held.ts';
import { nextStep, type Situation } from '../../../src/server/certificates/self-made/next-step.ts';
import { namesOf } from '../../../src/server/certificates/names.ts';
import { isValidAt } from '../../../src/server/certificates/pem.ts';
import * as maker from '../../../src/server/certificates/self-made/x509.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Date.parse('2030-01-01T00:00:00Z');
const LIFETIMES = { authorityMs: 730 * DAY, leafMs: 90 * DAY, slackMs: HOUR };
const EMPTY = readHeld({});

const situation = (changes: Partial<Situation> = {}): Situation => ({
  nowMs: NOW,
  lifetimes: LIFETIMES,
  names: ['hooks.default.svc'],
  isSettled: () => false,
  ...changes,
});

function after(held: Held, changes: Partial<Situation> = {}): Held {
  const options = situation(changes);
  const step = nextStep(held, options);
  if (step.type === 'wait') throw new Error('nothing is due');
  return readHeld(textsOf(carryOut(step, held, { ...options, maker, authorityName: 'ca', known: [] })));
}

function leafOf({ leaf, issuer }: Held) {
  if (leaf === undefined || issuer === undefined) throw new Error('there is no leaf');
  return { leaf: leaf.leaf, issuer, names: namesOf(leaf.leaf) };
}

const steady = after(EMPTY);
const joining = after(steady, { nowMs: NOW + 487 * DAY });
const settled = { isSettled: () => true };

describe('the next step', () => {
  it('makes an authority and a leaf of nothing, and then waits for the last third of the leaf', () => {
    expect(nextStep(EMPTY, situation()).type).toBe('renewAll');
    expect(steady.leaf?.leaf.validToDate).toEqual(new Date(NOW + 90 * DAY));
    expect(steady.leaf?.leaf.validFromDate).toEqual(new Date(NOW - HOUR));
    expect(nextStep(steady, situation())).toEqual({ type: 'wait', untilMs: NOW + 60 * DAY });
  });

  it.each([
    [59, 'wait'],
    [60, 'renewLeaf'],
    [89, 'renewLeaf'],
    [90, 'renewLeaf'],
    [486, 'renewLeaf'],
    [487, 'renewLeaf'],
    [730, 'renewAll'],
  ])('after %d days without anybody is: %s', (days, type) => {
    expect(nextStep(steady, situation({ nowMs: NOW + days * DAY })).type).toBe(type);
  });

  it('makes the next authority when a third of its life is left, and lets it sign once it is registered everywhere', () => {
    const nowMs = NOW + 487 * DAY;
    const fresh = after(steady, { nowMs });
    const waiting = after(fresh, { nowMs });

    expect(nextStep(fresh, situation({ nowMs })).type).toBe('addAuthority');
    expect(waiting.authorities).toHaveLength(2);
    expect(waiting.leaf?.certificate).toEqual(fresh.leaf?.certificate);
    expect(nextStep(waiting, situation({ nowMs })).type).toBe('wait');
    expect(nextStep(waiting, situation({ nowMs, ...settled })).type).toBe('promote');
    const promoted = after(waiting, { nowMs, ...settled });
    expect(promoted.signer?.key).toBe(waiting.next?.key);
    expect(promoted.next).toBeUndefined();
    expect(promoted.issuer?.fingerprint256).toBe(waiting.next?.certificate.fingerprint256);
    expect(promoted.authorities).toHaveLength(2);
  });

  it('keeps the authority before until an hour after it has expired', () => {
    const nowMs = NOW + 487 * DAY;
    const promoted = after(after(after(steady, { nowMs }), { nowMs }), { nowMs, ...settled });
    const lateMs = NOW + 730 * DAY;
    const renewed = after(promoted, { nowMs: lateMs });

    expect(nextStep(renewed, situation({ nowMs: lateMs + HOUR - 1 })).type).toBe('wait');
    expect(nextStep(renewed, situation({ nowMs: lateMs + HOUR })).type).toBe('forget');
    expect(after(renewed, { nowMs: lateMs + HOUR }).authorities).toHaveLength(1);
  });

  it('lets the next authority sign before the leaf expires, even if an object cannot be registered', () => {
    const nowMs = NOW + 730 * DAY - 14 * DAY;
    const leafMs = 90 * DAY;
    const late = after(after(steady, { nowMs }), { nowMs });

    expect(late.leaf?.leaf.validToDate).toEqual(new Date(NOW + 730 * DAY));
    expect(nextStep(late, situation({ nowMs })).type).toBe('promote');
    expect(nextStep(late, situation({ nowMs, lifetimes: { ...LIFETIMES, leafMs: leafMs / 2 } })).type).toBe('wait');
  });

  it('a leaf never outlives its authority', () => {
    const nowMs = NOW + 700 * DAY;

    expect(after(steady, { nowMs }).leaf?.leaf.validToDate).toEqual(new Date(NOW + 730 * DAY));
  });

  it('what begins after the present, as with a clock 13 months ahead, is not used', () => {
    const nowMs = NOW - 395 * DAY;

    expect(nextStep(steady, situation({ nowMs })).type).toBe('renewAll');
    expect(nextStep(steady, situation({ nowMs: NOW - 30 * MINUTE })).type).toBe('wait');
  });

  it('two replicas that want other names do not undo the work of each other', () => {
    const mine = { names: ['hooks.default.svc', 'a.example.com'] };
    const theirs = { names: ['hooks.default.svc', '10.0.0.7', '::1'] };
    const both = after(after(steady, mine), theirs);

    expect(nextStep(both, situation(mine)).type).toBe('wait');
    expect(nextStep(both, situation(theirs)).type).toBe('wait');
    expect(leafOf(after(both, { ...mine, nowMs: NOW + 61 * DAY })).names).toEqual(mine.names);
  });

  it('any Secret, at any time, leads in 4 steps to a valid certificate and rest', () => {
    const held = [steady, joining, after(joining, { nowMs: NOW + 487 * DAY, ...settled })].map(textsOf);
    const text = (key: (typeof SECRET_KEYS)[number]): fc.Arbitrary<string | undefined> => {
      const whole = fc.constantFrom(...held.map((texts) => texts[key]), ...held.map((texts) => texts[key]));
      const cut = fc.tuple(whole, fc.nat(400)).map(([value = '', length]) => value.slice(0, length));
      const other = fc.constantFrom(...SECRET_KEYS.map((other) => held[0]?.[other]));
      return fc.oneof({ arbitrary: whole, weight: 6 }, cut, other, fc.string(), fc.constant('x'.repeat(1_000_000)));
    };
    const secret = fc.tuple(...SECRET_KEYS.map(text)).map((texts): SecretTexts => {
      const entries = SECRET_KEYS.map((key, index): [string, string | undefined] => [key, texts[index]]);
      return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
    });
    fc.assert(
      fc.property(secret, fc.integer({ min: -400, max: 1500 }), fc.boolean(), (texts, days, isSettled) => {
        const nowMs = NOW + days * DAY;
        const now = { nowMs, isSettled: () => isSettled };
        let current = readHeld(texts);
        for (let step = 0; step < 4 && nextStep(current, situation(now)).type !== 'wait'; step += 1) {
          current = after(current, now);
        }

        expect(nextStep(current, situation(now)).type).toBe('wait');
        const { leaf, issuer } = leafOf(current);
        expect(isValidAt(leaf, nowMs)).toBe(true);
        expect(leaf.validToDate.getTime()).toBeLessThanOrEqual(issuer.validToDate.getTime());
      }),
      { numRuns: 150 },
    );
  });
});
