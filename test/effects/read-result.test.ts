import { describe, expect, it } from 'vitest';
import { parseResult, type ResultScope } from '../../src/effects/read-result.ts';
import { SlowTextBudget, SlowTextError } from '../../src/effects/slow-text.ts';
import { HookOutputError } from '../../src/errors.ts';

const context = (object?: string, isReconcile = false) => ({ ...(object !== undefined && { object }), isReconcile });
const ONE: ResultScope = { contexts: [context('web')] };
const TWO: ResultScope = { contexts: [context('web'), context('db')] };
const RECONCILE: ResultScope = { contexts: [context('web', true)] };

function read(value: unknown, scope = ONE) {
  return parseResult(typeof value === 'string' ? value : JSON.stringify(value), scope);
}

/** The problems of a result, a line each, without their place in the text. */
function problemsOf(value: unknown, scope = ONE): readonly string[] {
  try {
    read(value, scope);
  } catch (error) {
    if (!(error instanceof HookOutputError)) throw error;
    const [head = '', ...lines] = error.message.split('\n');
    expect(head).toMatch(/^RESULT_PATH has \d+ problem\(s\), nothing of this run is applied:$/);
    return lines.map((line) => line.replace(/^ {2}document \d+, line \d+:? /, ''));
  }
  return [];
}

describe('a result', () => {
  it('is read with every field', () => {
    const part = {
      outcome: 'failed',
      retryAfter: '1m30s',
      reason: 'NoQuorum',
      message: 'waiting',
      conditions: [{ type: 'example.com/Ready', status: 'Unknown', reason: 'NoQuorum' }],
      status: { replicas: 3 },
      events: [
        { type: 'Normal', reason: 'Looked', message: 'text', once: 'repair 1' },
        { type: 'Warning', reason: 'Odd', object: { apiVersion: 'v1', kind: 'Pod', namespace: 'a', name: 'b' } },
      ],
      state: { step: 2, id: null },
      children: [{ kind: 'Pod' }, { object: { kind: 'ConfigMap' }, after: ['Pod/x'] }],
      finalized: true,
    };

    const { result, warnings } = read(
      { ...part, output: [1, { a: null }], contexts: [{ index: 0, ...part }] },
      RECONCILE,
    );

    const parsed = {
      outcome: 'failed',
      retryAfterMs: 90_000,
      reason: 'NoQuorum',
      message: 'waiting',
      conditions: [{ type: 'example.com/Ready', status: 'Unknown', reason: 'NoQuorum', message: '' }],
      status: { replicas: 3 },
      events: [
        { type: 'Normal', reason: 'Looked', message: 'text', once: 'repair 1' },
        {
          type: 'Warning',
          reason: 'Odd',
          message: '',
          object: { apiVersion: 'v1', kind: 'Pod', namespace: 'a', name: 'b' },
        },
      ],
      state: '{"step":2,"id":null}',
      children: [
        { object: { kind: 'Pod' }, after: [] },
        { object: { kind: 'ConfigMap' }, after: ['Pod/x'] },
      ],
      finalized: true,
    };
    expect(result).toEqual({ ...parsed, contexts: new Map([[0, parsed]]), output: '[1,{"a":null}]' });
    expect(warnings).toEqual([]);
  });

  it.each(['', ' \n', '# nothing said\n', '---\n'])('says nothing as %j', (text) => {
    expect(read(text)).toEqual({ warnings: [] });
  });

  it('may be empty, and its children none', () => {
    expect(read({}).result).toEqual({ conditions: [], events: [], contexts: new Map() });
    expect(read({ children: [] }, RECONCILE).result).toMatchObject({ children: [] });
    expect(read({}, RECONCILE).result).not.toHaveProperty('children');
  });

  it('has null as a state, which keeps nothing', () => {
    expect(read({ state: null }, RECONCILE).result).toMatchObject({ state: 'null' });
  });

  it('has a refusal with its reason and message', () => {
    const refused = { reason: 'TooSmall', message: 'spec.size is 1, expected 3' };

    expect(read({ refused }).result).toMatchObject({ refused });
  });

  it('may be YAML, where True is a boolean', () => {
    const text = 'outcome: later\nconditions:\n  - {type: Ready, status: True, reason: There}\n';

    expect(read(text).result).toMatchObject({ outcome: 'later', conditions: [{ type: 'Ready', status: 'True' }] });
  });

  it('has fields of a status and children as they were written, whatever their keys', () => {
    const text = '{"status": {"__proto__": {"polluted": 1}, "constructor": 1}}';

    const { result } = read(text);

    expect(JSON.stringify(result?.status)).toBe('{"__proto__":{"polluted":1},"constructor":1}');
    expect({}).not.toHaveProperty('polluted');
  });
});

describe('a result with problems', () => {
  it('has all of them told at once, with their paths', () => {
    const condition = { type: 'Ready', status: 'Yes', reason: 'not a word' };
    const problems = problemsOf({
      outcome: 'Permanent',
      retryAfter: '0s',
      reason: 'no word',
      message: 'ü'.repeat(600),
      conditions: [
        condition,
        { type: '-' },
        1,
        { type: 'A', status: 'True', reason: 'B' },
        { type: 'A', status: 'True', reason: 'B' },
      ],
      status: [],
      events: [{ type: 'Error', object: { kind: 'a/b' } }],
      contexts: [{}, { index: -1, messsage: '' }, { index: 0.5 }],
      output: 'x'.repeat(65_536),
      refused: 'no',
      childrn: [],
    });

    expect(problems).toEqual([
      'childrn: unknown field, did you mean children?',
      'outcome: got "Permanent", expected one of done, later, failed, permanent',
      'retryAfter: got "0s", expected a Go duration of more than 0 such as "30s" or "1h30m", at most 87600h',
      'reason: got "no word", expected one word in CamelCase such as "QuotaExceeded", at most 128 characters',
      'message: got 1200 bytes, expected at most 1024; print longer text, it is in the log',
      'conditions[0].status: got "Yes", expected one of True, False, Unknown',
      'conditions[0].reason: got "not a word", expected one word in CamelCase such as "QuotaExceeded", at most 128 characters',
      'conditions[1].status: missing, expected True, False or Unknown',
      'conditions[1].reason: missing, expected one word in CamelCase',
      'conditions[1].type: got "-", expected the type of a condition such as "Ready", at most 316 characters',
      'conditions[2]: got 1, expected a mapping',
      'conditions: has the type A twice, expected each once',
      'status: got [], expected a mapping with fields of the status',
      'events[0].reason: missing, expected one word in CamelCase',
      'events[0].type: got "Error", expected one of Normal, Warning',
      'events[0].object.apiVersion: missing, expected such as "apps/v1"',
      'events[0].object.name: missing, expected the name of the object',
      'events[0].object.kind: got "a/b", which may not contain "/"',
      'refused: got "no", expected a mapping',
      'contexts[0].index: missing, expected the index of a binding context, counted from 0',
      'contexts[1].messsage: unknown field, did you mean message?',
      'contexts[1].index: got -1, expected the index of a binding context, counted from 0',
      'contexts[2].index: got 0.5, expected a whole number',
      'output: has 65538 bytes as JSON, expected at most 65536',
    ]);
  });

  it.each<[string, unknown, RegExp]>([
    ['null for a field', { message: null }, /^message: got null, expected a string$/],
    ['null for the children, which would be none', { children: null }, /^children: got null, expected a list$/],
    ['a list', [], /^got \[\], expected a mapping$/],
    ['a word', 'later', /^got "later", expected a mapping$/],
    ['a duration of eleven years', { retryAfter: '97000h' }, /^retryAfter: /],
    ['a duration below 0', { retryAfter: '-1s' }, /^retryAfter: /],
    ['a field in other letters', { Outcome: 'later' }, /^Outcome: unknown field, did you mean outcome\?$/],
    ['a key of every object', '{"__proto__": 1}', /^__proto__: unknown field/],
    ['another key of every object', { constructor: 1 }, /^constructor: unknown field/],
    ['an outcome that every object has', { outcome: 'toString' }, /^outcome: got "toString"/],
    ['conditions in the status', { status: { conditions: [] } }, /^status\.conditions: is written by hooklet/],
    ['a child that is none', { children: [1] }, /^children\[0\]: got 1, expected a whole Kubernetes object/],
    ['a state above 64 KiB', { state: 'x'.repeat(65_536) }, /^state: has 65538 bytes as JSON, expected at most 65536$/],
    ['a refusal without a message', { refused: { reason: 'A' } }, /^refused\.message: missing, expected what is wrong/],
    [
      'a refusal beside a failure',
      { refused: { reason: 'A', message: '' }, outcome: 'failed' },
      /^refused: stands beside/,
    ],
    ['an empty key', { events: [{ type: 'Normal', reason: 'A', once: '' }] }, /^events\[0\]\.once: got ""/],
    ['101 conditions', { conditions: Array(101).fill({}) }, /^conditions: got 101 elements, expected at most 100$/],
    ['two documents', '{}\n{"outcome": "later"}', /^: a second document|^a second document/],
    ['half a document', '{"outcome": "later"', /^cannot be read as JSON: /],
    ['deep JSON', `${'['.repeat(5000)}${']'.repeat(5000)}`, /nested deeper than/],
    [
      'deep YAML',
      `a:\n${Array.from({ length: 300 }, (_, depth) => `${' '.repeat(depth + 1)}a:`).join('\n')}`,
      /nested deeper/,
    ],
  ])('is refused: %s', (_what, value, message) => {
    expect(problemsOf(value)[0]).toMatch(message);
  });

  it('is refused for aliases that would expand without end', () => {
    const levels = Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`);

    expect(problemsOf(`status:\n  a0: &a0 [x, x]\n  ${levels.join('\n  ')}`)[0]).toMatch(/alias/);
  });

  it('has at most 100 of its problems told', () => {
    const fields = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`field${i}`, 1]));

    expect(problemsOf(fields).length).toBeLessThanOrEqual(102);
  });
});

describe('a result beside the contexts of its run', () => {
  it('names each of them at most once, and no other', () => {
    const contexts = [{ index: 1 }, { index: 2 }, { index: 1 }];

    expect(problemsOf({ contexts }, TWO)).toEqual([
      'contexts[1].index: got 2, but this run has 2 context(s), counted from 0',
      'contexts[2].index: got 1 a second time, expected each index once',
    ]);
  });

  it('says what is for one object in contexts, where they are about several', () => {
    const conditions = [{ type: 'Ready', status: 'True', reason: 'There' }];
    const said = { conditions, status: { a: 1 }, children: [], finalized: true };
    const advice = 'this run is about 2 objects, give it for each in contexts[]';

    expect(problemsOf(said, { contexts: [context('web', true), context('db', true)] })).toEqual([
      `conditions: ${advice}`,
      `status: ${advice}`,
      `children: ${advice}`,
      `finalized: ${advice}`,
    ]);
    expect(
      problemsOf({ contexts: [{ index: 1, ...said }] }, { contexts: [context('web'), context('db', true)] }),
    ).toEqual([]);
    expect(problemsOf({ conditions }, { contexts: [context('web'), context('web'), context()] })).toEqual([]);
  });

  it('has children of a reconcile context alone', () => {
    expect(problemsOf({ children: [], finalized: false })).toEqual([
      'children: is for the context of a reconcile binding, and this is none',
      'finalized: is for the context of a reconcile binding, and this is none',
    ]);
    const mixed = { contexts: [context('web'), context('web', true)] };
    expect(problemsOf({ contexts: [{ index: 0, children: [] }] }, mixed)).toEqual([
      'contexts[0].children: is for the context of a reconcile binding, and this is none',
    ]);
  });

  it('has a warning where there is no object for a condition', () => {
    const conditions = [{ type: 'Ready', status: 'True', reason: 'There' }];
    const none = { contexts: [context(), context('web')] };

    expect(read({ conditions }, { contexts: [context()] }).warnings).toEqual([
      'document 1, line 1: conditions and status have no effect: no context of this run is about one object',
    ]);
    expect(read({ contexts: [{ index: 0, status: {} }] }, none).warnings).toEqual([
      'document 1, line 1: contexts[0]: conditions and status have no effect: the context is not about one object',
    ]);
    expect(read({ conditions }, none).warnings).toEqual([]);
  });

  it('is read at once for 1 MiB with 20,000 contexts', () => {
    const contexts = Array.from({ length: 20_000 }, (_, index) => ({ index, outcome: 'failed', reason: 'Odd' }));
    const scope = { contexts: contexts.map((_, index) => context(`object${index}`)) };

    expect(read({ contexts }, scope).result?.contexts.size).toBe(20_000);
  });
});

it('costs its budget as YAML, and nothing as JSON', () => {
  const budget = new SlowTextBudget(10);

  expect(parseResult('{"outcome": "later"}', ONE, budget).result?.outcome).toBe('later');
  expect(() => parseResult('outcome: later', ONE, budget)).toThrow(SlowTextError);
});
