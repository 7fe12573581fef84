import { describe, expect, it } from 'vitest';
import { parseMembers, type Members, type Parsed } from '../../src/lib/members.ts';

function read<T>(document: unknown, how: (members: Members) => T): Parsed<T> {
  return parseMembers(JSON.stringify(document), 'it', how);
}

describe('a list of objects', () => {
  const names = (most?: number) => (members: Members) => members.each('list', (one) => one.text('name'), most);

  it.each<readonly [readonly string[]]>([[[]], [['a']], [['a', 'b', 'a']]])('of %j is read in its order', (list) => {
    const document = { list: list.map((name) => ({ name, other: 1 })) };
    expect(read(document, names())).toEqual({ type: 'read', value: list });
    expect(read(document, names(3))).toEqual({ type: 'read', value: list });
  });

  it.each([
    [undefined, 'it: list: got nothing, expected a list'],
    [null, 'it: list: got null, expected a list'],
    [{ 0: { name: 'a' } }, 'it: list: got {"0":{"name":"a"}}, expected a list'],
    ['a', 'it: list: got "a", expected a list'],
    [[{ name: 'a' }, 1], 'it: list[1]: got 1, expected an object of JSON; it: list[1]: name: got nothing'],
    [[[]], 'it: list[0]: got [], expected an object of JSON'],
    [[{ name: 1 }, { name: 'a' }, {}], 'it: list[0]: name: got 1, expected a text; it: list[2]: name: got nothing'],
  ])('is none as %j, and its place is said', (list, problem) => {
    expect(read({ list }, names())).toEqual({ type: 'wrong', problem: expect.stringContaining(problem) });
  });

  it('of more than it may have is not read at all', () => {
    let reads = 0;
    const parsed = read({ list: Array.from({ length: 4 }, () => ({})) }, (members) =>
      members.each('list', () => (reads += 1), 3),
    );
    expect(parsed).toEqual({ type: 'wrong', problem: 'it: list: got a list of 4, expected one of at most 3' });
    expect(reads).toBe(0);
  });

  it('may have lists inside, whose problems have the whole place', () => {
    const parsed = read({ outer: [{}, { inner: [{ n: 'x' }] }] }, (members) =>
      members.each('outer', (one) => one.maybe('inner', () => one.each('inner', (two) => two.whole('n')))),
    );
    expect(parsed).toMatchObject({
      problem: 'it: outer[1]: inner[0]: n: got "x", expected a whole number of 0 or more',
    });
  });

  it('with 1000 wrong elements has 20 problems said', () => {
    const parsed = read({ list: Array.from({ length: 1000 }, () => ({})) }, names());
    expect(parsed.type === 'wrong' && parsed.problem.split('; ')).toHaveLength(20);
  });
});

describe('a whole number', () => {
  const whole = (members: Members) => members.whole('n', 1, 5);

  it.each([1, 3, 5])('from 1 to 5 may be %i', (n) => {
    expect(read({ n }, whole)).toEqual({ type: 'read', value: n });
  });

  it.each([0, 6, 1.5, -1, '3', null, 2 ** 53])('from 1 to 5 is not %j', (n) => {
    const problem = `it: n: got ${JSON.stringify(n)}, expected a whole number from 1 to 5`;
    expect(read({ n }, whole)).toEqual({ type: 'wrong', problem });
  });
});

describe('an object of texts', () => {
  const texts = (members: Members) => members.texts('env');

  it.each([{}, { A: '', b: 'x\ny' }, JSON.parse('{"__proto__":"a","constructor":"b"}')])('is read as %j', (env) => {
    const parsed = read({ env }, texts);
    expect(JSON.stringify(parsed)).toBe(JSON.stringify({ type: 'read', value: env }));
  });

  it.each([
    [{ A: 1 }, 'it: env: A: got 1, expected a text'],
    [['a'], 'it: env: got ["a"], expected an object of JSON'],
    [undefined, 'it: env: got nothing, expected an object of JSON'],
  ])('is none as %j', (env, problem) => {
    expect(read({ env }, texts)).toEqual({ type: 'wrong', problem });
  });
});

it('a text that is not right is said with what is expected', () => {
  const name = (members: Members) => members.textThat('name', (text) => text.length < 3, 'a short text');
  expect(read({ name: 'ab' }, name)).toEqual({ type: 'read', value: 'ab' });
  for (const [wrong, shown] of [
    ['abc', '"abc"'],
    [1, '1'],
    [undefined, 'nothing'],
  ]) {
    expect(read({ name: wrong }, name)).toEqual({
      type: 'wrong',
      problem: `it: name: got ${shown}, expected a short text`,
    });
  }
});

describe('JSON of another program', () => {
  it('with a number that is too large for one is refused', () => {
    const parsed = parseMembers('{"n": 1e999}', 'it', (members) => members.amount('n'));
    expect(parsed).toEqual({
      type: 'wrong',
      problem: expect.stringMatching(/^it: n: got .*, expected a number of 0 or more$/),
    });
  });

  it.each(['"fields"', '"list"'])(
    'that is nested deeper than 1000 in %s is refused, and one of 1000 is read',
    (key) => {
      const nested = (depth: number): string => `{${key}: ${'['.repeat(depth)}${']'.repeat(depth)}}`;
      const read1 = (depth: number) => parseMembers(nested(depth), 'it', (members) => members.has(key.slice(1, -1)));

      expect(read1(1000)).toEqual({ type: 'read', value: true });
      for (const depth of [1001, 100_000])
        expect(read1(depth)).toEqual({
          type: 'wrong',
          problem: 'it: got JSON that is nested deeper than 1000, expected less',
        });
    },
  );
});
