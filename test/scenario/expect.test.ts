import type { JsonObject, JsonValue } from '@hooklet/sandbox';
import { describe, expect, it } from 'vitest';
import { checkExpectation } from '../../src/scenario/expect/check-expectation.ts';
import { pathText } from '../../src/scenario/expect/difference.ts';
import type { Evidence } from '../../src/scenario/expect/evidence.ts';
import { differences, projected } from '../../src/scenario/expect/subset.ts';
import type { Expectation } from '../../src/scenario/expectation.ts';
import type { Moment } from '../../src/scenario/timeline.ts';
import { logged, run, write } from '../support/scripted-world.ts';

type Happenings = ReturnType<typeof run>;

function check(expected: Expectation, happenings: Happenings, more: Partial<Evidence> = {}): readonly string[] {
  const moments = happenings.map((one): Moment => ({ atMs: 0, step: 1, ...one }));
  return checkExpectation(expected, { moments, timeline: moments, objects: [], metrics: '', ...more }).map(
    ({ at, message }) => `${pathText(at)}: ${message}`,
  );
}

const secret = (name: string, data: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'default' },
  data,
});

describe('a subset', () => {
  it.each<[JsonValue, JsonValue, readonly string[]]>([
    [{ a: 1 }, { a: 1, b: 2 }, []],
    [{ a: null }, { b: 2 }, []],
    [{ a: { 'b.c': 1 } }, { a: { 'b.c': 2 } }, ['a["b.c"]: expected 1, found 2']],
    [{ a: 1 }, {}, ['a: expected 1, found nothing']],
    [{ a: null }, { a: 1 }, ['a: expected nothing, found 1']],
    [{ a: '1' }, { a: 1 }, ['a: expected "1", found 1']],
    [[{ a: 1 }], [{ a: 1, b: 2 }], []],
    [[1], [1, 2], [': expected 1 element(s), found 2: [1,2]']],
    [{ conditions: [{ type: 'B', x: 1 }] }, { conditions: [{ type: 'A' }, { type: 'B', x: 1 }] }, []],
    [
      { conditions: [{ type: 'C' }] },
      { conditions: [{ type: 'A' }] },
      ['conditions[0]: expected an element of type C, found A'],
    ],
    [[{ type: 'B', x: 1 }], [{ type: 'B', x: 2 }], ['[0].x: expected 1, found 2']],
    [{ toString: 1 }, {}, ['toString: expected 1, found nothing']],
  ])('%j of %j differs in %j', (expected, found, texts) => {
    expect(differences(expected, found, []).map(({ at, message }) => `${pathText(at)}: ${message}`)).toEqual(texts);
  });

  it('projects what was found into the form of what was expected', () => {
    expect(projected({ a: { b: 0 }, c: [{ d: 0 }] }, { a: { b: 1, x: 1 }, c: [{ d: 2, x: 2 }], x: 3 })).toEqual({
      a: { b: 1 },
      c: [{ d: 2 }],
    });
  });
});

describe('expected runs', () => {
  it('are all runs, in order for each hook, with contexts as subsets', () => {
    const happenings = [
      ...run('a.sh', {}, { contexts: [{ binding: 'x', type: 'Event' }] }),
      ...run('b.sh', { exitCode: 3, outcome: 'failed', message: 'exit code 3: no', output: ['first', 'second'] }),
      ...run('a.sh', {}, { attempt: 2 }),
    ];
    const b = { hook: 'b.sh', exit: 3, message: 'no', output: ['seco'] };

    expect(check({ runs: [b, { hook: 'a.sh', contexts: [{ binding: 'x' }] }, { hook: 'a.sh' }] }, happenings)).toEqual(
      [],
    );
    expect(check({ runs: 3 }, happenings)).toEqual([]);
    expect(check({ runs: [b, { hook: 'a.sh' }] }, happenings)).toEqual([
      'runs: expected 1 run(s) of a.sh, found 2\n  a.sh [x Event]: succeeded (exit 0)\n  a.sh [], attempt 2: succeeded (exit 0)',
    ]);
    expect(
      check(
        { runs: [{ ...b, exit: 4, message: 'yes' }, { hook: 'a.sh', contexts: [] }, { hook: 'a.sh' }] },
        happenings,
      ),
    ).toEqual([
      'runs[0].exit: expected 4, found 3',
      'runs[0].message: expected a text with "yes", found "exit code 3: no"',
      'runs[1].contexts: expected 0 element(s), found 1: [{"binding":"x","type":"Event"}]',
    ]);
  });

  it('must not have failed, unless the failure is named', () => {
    const happenings = run('a.sh', { outcome: 'failed', exitCode: 1, message: 'exit code 1', next: 'retry' });

    expect(check({ runs: [{ hook: 'a.sh' }] }, happenings)).toEqual([
      'runs[0]: the run failed, and the failure is not expected: exit code 1',
    ]);
    expect(check({ runs: [{ hook: 'a.sh', next: 'retry' }] }, happenings)).toEqual([]);
  });
});

describe('expected writes and calls', () => {
  it('are what a stand-in read, without line ends at the end', () => {
    const psql = { type: 'call' as const, program: 'psql', args: [], exitCode: 0 };
    const moments = [{ ...psql, stdin: 'SELECT 1;\n' }];
    const calls = (stdin: string) => check({ calls: [{ program: 'psql', stdin }] }, moments);

    expect(calls('SELECT 1;')).toEqual([]);
    expect(calls('SELECT 2;')).toEqual(['calls[0].stdin: expected "SELECT 2;", found "SELECT 1;"']);
    expect(check({ calls: [{ program: 'psql', stdin: '' }] }, [psql])).toEqual([
      'calls[0].stdin: expected "", found nothing',
    ]);
  });

  it('are all changes, in any order, each met by another one', () => {
    const happenings = [
      write('a', { verb: 'create' }),
      write('b', { verb: 'create' }),
      write('c', { isChange: false }),
      write('d', { by: 'scenario' }),
      write('e', { object: { apiVersion: 'v1', kind: 'Event', namespace: 'x', name: 'e' } }),
      write('f', { object: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'x', name: 'hooklet-dead-letters' } }),
    ];

    expect(check({ writes: 2 }, happenings)).toEqual([]);
    expect(check({ writes: [{ verb: 'create' }, { object: { name: 'a' } }] }, happenings)).toEqual([]);
    expect(check({ writes: [{ object: { name: 'a' } }, { object: { name: 'x' } }] }, happenings)).toEqual([
      'writes: expected 2 write(s), found 2\n  not found: {"object":{"name":"x"}}\n  not expected: hooklet: create v1/Secret/default/b',
    ]);
    expect(check({ writes: 0 }, happenings)).toEqual([
      'writes: expected 0, found 2\n  hooklet: create v1/Secret/default/a\n  hooklet: create v1/Secret/default/b',
    ]);
  });

  it('are the calls of each program in order, with all arguments', () => {
    const call = (...args: readonly string[]) => ({ type: 'call' as const, program: 'pg_dump', args, exitCode: 0 });
    const happenings = [call('-d', 'a'), call('two words')];

    expect(
      check(
        {
          calls: [
            { program: 'pg_dump', args: ['-d', 'a'] },
            { program: 'pg_dump', exit: 0 },
          ],
        },
        happenings,
      ),
    ).toEqual([]);
    expect(check({ calls: [{ program: 'pg_dump' }] }, happenings)).toEqual([
      'calls: expected 1 call(s) of pg_dump, found 2\n  pg_dump -d a: exit 0\n  pg_dump "two words": exit 0',
    ]);
  });
});

describe('expected objects', () => {
  const objects = [secret('a', { x: '1' }), secret('b', { x: '2' })];

  it('are there, absent, or as many as expected', () => {
    expect(check({ objects: [{ object: secret('a', {}) }] }, [], { objects })).toEqual([]);
    expect(check({ objects: [{ object: { apiVersion: 'v1', kind: 'Secret' }, count: 2 }] }, [], { objects })).toEqual(
      [],
    );
    expect(check({ objects: [{ object: secret('c', {}), absent: true }] }, [], { objects })).toEqual([]);
    expect(check({ objects: [{ object: secret('a', {}), absent: true }] }, [], { objects })).toEqual([
      'objects[0]: expected no such object, found 1\n  v1/Secret/default/a',
    ]);
    expect(check({ objects: [{ object: { apiVersion: 'v1', kind: 'Secret' }, count: 3 }] }, [], { objects })).toEqual([
      'objects[0].count: expected 3 such object(s), found 2\n  v1/Secret/default/a\n  v1/Secret/default/b',
    ]);
  });

  it('show what differs in the one of that name, else the nearest, else that there is none of the kind', () => {
    expect(check({ objects: [{ object: secret('b', { x: '1' }) }] }, [], { objects })).toEqual([
      'objects[0].data.x: expected "1", found "2"',
    ]);
    expect(check({ objects: [{ object: secret('c', { x: '2' }) }] }, [], { objects })).toEqual([
      'objects[0]: expected v1/Secret/default/c, which is not there; the nearest is v1/Secret/default/b\n  metadata.name: expected "c", found "b"',
    ]);
    const note = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'n' } };
    expect(check({ objects: [{ object: note }] }, [], { objects })).toEqual([
      'objects[0]: expected v1/ConfigMap/n, found no ConfigMap at all',
    ]);
  });

  it('have a status, whose fields stand beside the name', () => {
    const conditions = [{ type: 'Ready', status: 'False', reason: 'Waits' }];
    const site = {
      apiVersion: 'e/v1',
      kind: 'Site',
      metadata: { name: 's', uid: 'u' },
      spec: {},
      status: { conditions },
    };
    const named = { apiVersion: 'e/v1', kind: 'Site', metadata: { name: 's' } };
    const ready = (status: string) => ({ ...named, conditions: [{ type: 'Ready', status }] });

    expect(check({ status: [ready('False')] }, [], { objects: [site] })).toEqual([]);
    expect(check({ status: [ready('True')] }, [], { objects: [site] })).toEqual([
      'status[0].conditions[0].status: expected "True", found "False"',
    ]);
  });
});

describe('expected signals', () => {
  const about = { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'p' };
  const after = { type: 'Warning', reason: 'HookFailed', note: 'exit code 1', regarding: about };
  const event = write('e', {
    object: { apiVersion: 'events.k8s.io/v1', kind: 'Event', namespace: 'default', name: 'e' },
    after,
  });

  it('are Events of the step, by reason, part of the message and object', () => {
    expect(check({ events: [{ reason: 'HookFailed', message: 'code 1', object: { name: 'p' } }] }, [event])).toEqual(
      [],
    );
    expect(check({ events: [{ reason: 'Other', absent: true }] }, [event])).toEqual([]);
    expect(check({ events: [{ reason: 'Other' }, { type: 'Warning', absent: true }] }, [event])).toEqual([
      'events[0]: expected such an Event, found 1\n  Warning HookFailed Pod/default/p: "exit code 1"',
      'events[1]: expected no such Event, found 1\n  Warning HookFailed Pod/default/p: "exit code 1"',
    ]);
  });

  it('are metrics with their labels and values', () => {
    const metrics = '# HELP a b\na{x="1",y="q\\"\\n"} 3\na{x="2"} 4\nb +Inf\n';
    const expected = [
      { name: 'a', labels: { y: 'q"\n' }, value: 3 },
      { name: 'b', value: Number.POSITIVE_INFINITY },
      { name: 'c', absent: true as const },
    ];

    expect(check({ metrics: expected }, [], { metrics })).toEqual([]);
    expect(check({ metrics: [{ name: 'a', labels: { x: '2' }, value: 3 }, { name: 'c' }] }, [], { metrics })).toEqual([
      'metrics[0].value: expected 3, found\n  a{x="2"} 4',
      'metrics[1]: expected c with these labels, found no metric of this name',
    ]);
  });

  it('are the answer of the last request', () => {
    const answer = { code: 403, body: { message: 'denied: no owner', kind: 'Status' } };

    expect(
      check({ answer: { allowed: false, code: 403, message: 'no owner', body: { kind: 'Status' } } }, [], { answer }),
    ).toEqual([]);
    const warned = { code: 201, body: {}, warnings: ['a: has no tag', 'b: has no tag'] };
    expect(check({ answer: { warnings: ['a:', 'no tag'] } }, [], { answer: warned })).toEqual([]);
    expect(check({ answer: { warnings: ['a:'] } }, [], { answer: warned })).toEqual([
      'answer.warnings: expected ["a:"], found ["a: has no tag","b: has no tag"]; the answer was 201 {}',
    ]);
    expect(check({ answer: { allowed: true } }, [], { answer })).toEqual([
      'answer.allowed: expected true, found false; the answer was 403 {"message":"denied: no owner","kind":"Status"}',
    ]);
  });

  it('are texts in lines of the log', () => {
    const lines = [logged('hook finished', { hook: 'a.sh' })];

    expect(check({ log: ['finished hook=a.sh'] }, lines)).toEqual([]);
    expect(check({ log: ['failed'] }, lines)).toEqual([
      'log[0]: expected a line of the log with "failed", found 1 line(s), at last\n  INFO hook finished hook=a.sh',
    ]);
  });
});
