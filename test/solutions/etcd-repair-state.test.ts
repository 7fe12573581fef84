import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isoSeconds } from '../../solutions/etcd-repair/hooks/lib/facts.ts';
import { readState, writeState, type RepairRecord, type State } from '../../solutions/etcd-repair/hooks/lib/record.ts';

const nowMs = Date.parse('2026-01-02T12:00:00Z');
const NOW = '2026-01-02T12:00:00Z';
const BEFORE = '2026-01-02T11:00:00Z';
const NOTHING: State = {
  unhealthy: {},
  repair: undefined,
  next: [],
  told: '',
  comparedAt: '',
  same: undefined,
  copies: {},
  news: [],
};
const RECORD: RepairRecord = {
  pod: 'etcd-1',
  peerURL: 'http://etcd-1:2380',
  memberID: '2',
  podUID: 'a',
  claimUID: 'b',
  since: BEFORE,
  startedAt: BEFORE,
  snapshot: '/snapshots/1.db',
  snapshotAt: BEFORE,
  snapshotRevision: 100,
  step: 'recorded',
  stepAt: BEFORE,
};

const text = fc.string();
const past = fc.integer({ min: 0, max: nowMs }).map(isoSeconds);
const pod = fc.nat({ max: 9 }).map((at) => `etcd-${at}`);
const record: fc.Arbitrary<RepairRecord> = fc.record(
  {
    pod,
    peerURL: text,
    memberID: text,
    podUID: text,
    claimUID: text,
    attempt: fc.integer({ min: 1, max: 20 }),
    since: past,
    startedAt: past,
    snapshot: text,
    snapshotAt: past,
    snapshotRevision: fc.nat(),
    step: text,
    stepAt: past,
  },
  {
    requiredKeys: [
      'pod',
      'peerURL',
      'memberID',
      'podUID',
      'claimUID',
      'since',
      'startedAt',
      'snapshot',
      'snapshotAt',
      'snapshotRevision',
      'step',
      'stepAt',
    ],
  },
);
const state: fc.Arbitrary<State> = fc.record({
  unhealthy: fc.dictionary(pod, past),
  repair: fc.option(record, { nil: undefined }),
  next: fc.array(record),
  told: text,
  comparedAt: fc.oneof(past, fc.constant('')),
  same: fc.option(fc.record({ at: past, voters: fc.array(text) }), { nil: undefined }),
  copies: fc.dictionary(pod, fc.record({ from: text, at: past, instead: text })),
  news: fc.array(
    fc.record({ name: text, type: fc.constantFrom('Normal', 'Warning'), reason: text, message: text, at: past }),
  ),
});

/** Any JSON under the field names of a state. */
const likeState = fc.dictionary(fc.constantFrom(...Object.keys(NOTHING)), fc.jsonValue());

describe('the state of a repair', () => {
  it('is what was written, and nothing where there is nothing to keep', () => {
    fc.assert(
      fc.property(state, (one) => {
        expect(readState(writeState(one), nowMs)).toEqual(one);
      }),
    );
    expect(writeState(NOTHING)).toBe('');
  });

  it('is written as it was read, so that nothing is written while nothing changes', () => {
    const written = JSON.stringify({
      unhealthy: { 'etcd-1': BEFORE },
      repair: { ...RECORD, attempt: 1 },
      next: [RECORD],
      told: 'NoSpace',
      comparedAt: BEFORE,
      same: { at: BEFORE, voters: ['1', '3'] },
      copies: { 'etcd-1': { from: 'etcd-0', at: BEFORE, instead: '2' } },
      news: [{ name: 'etcd.1', type: 'Warning', reason: 'NoSpace', message: 'no space', at: BEFORE }],
    });

    expect(writeState(readState(written, nowMs))).toBe(written);
  });

  it.each([
    'by hand',
    'null',
    '[]',
    '5',
    '"x"',
    '{"news":5}',
    '{"news":[5,{"type":"Odd"}]}',
    '{"repair":{}}',
    '{"repair":{"pod":"etcd-1"}}',
    '{"unhealthy":"x"}',
    '{"unhealthy":["x"]}',
    '{"next":{"0":1}}',
    '{"next":[null]}',
    '{"told":1,"comparedAt":1,"same":[],"copies":{"etcd-1":null}}',
  ])('is none where somebody wrote %s', (written) => {
    expect(readState(written, nowMs)).toEqual(NOTHING);
  });

  it('keeps what is right beside what is wrong', () => {
    const written = JSON.stringify({ unhealthy: { 'etcd-1': BEFORE }, repair: RECORD, next: [RECORD, {}], news: 5 });

    expect(readState(written, nowMs)).toEqual({
      ...NOTHING,
      unhealthy: { 'etcd-1': BEFORE },
      repair: RECORD,
      next: [RECORD],
    });
  });

  it('is read of any JSON, and can be written and read again', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), likeState), (json) => {
        const read = readState(JSON.stringify(json), nowMs);
        expect(readState(writeState(read), nowMs)).toEqual(read);
      }),
    );
  });

  it.each(['2226-01-01T00:00:00Z', '2026-01-02T12:00:01Z', 'yesterday', '5', ''])(
    'has no time such as %j: what waits since then waits anew, what was looked at then is looked at again',
    (time) => {
      const times = { since: time, startedAt: time, stepAt: time };
      const written = JSON.stringify({
        unhealthy: { 'etcd-1': time, 'etcd-2': BEFORE },
        repair: { ...RECORD, ...times },
        next: [{ ...RECORD, ...times }],
        comparedAt: time,
        same: { at: time, voters: ['1'] },
        copies: { 'etcd-1': { from: 'etcd-0', at: time, instead: '2' } },
        news: [{ name: 'etcd.1', type: 'Warning', reason: 'NoSpace', message: 'no space', at: time }],
      });
      const now = { ...RECORD, since: NOW, startedAt: NOW, stepAt: NOW };

      expect(readState(written, nowMs)).toMatchObject({
        unhealthy: { 'etcd-1': NOW, 'etcd-2': BEFORE },
        repair: now,
        next: [now],
        comparedAt: '',
        same: undefined,
        copies: { 'etcd-1': { at: NOW } },
        news: [{ at: NOW }],
      });
    },
  );
});
