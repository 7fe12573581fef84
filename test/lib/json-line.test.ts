import { expect, it } from 'vitest';
import { formatJsonLine } from '../../src/lib/json-line.ts';

const line = { time: new Date(0), level: 'info', message: 'done', stacks: false };

it('a line has its level and time first, and its message last', () => {
  const text = formatJsonLine({ ...line, fields: { hook: 'a "b"\n', absent: undefined } });

  expect(text).toBe('{"level":"info","time":"1970-01-01T00:00:00.000Z","hook":"a \\"b\\"\\n","msg":"done"}\n');
});

it('a line does not fail for what is in it', () => {
  const circle: { self?: unknown } = {};
  circle.self = circle;

  const text = formatJsonLine({ ...line, fields: { circle, count: 5n, kept: [1] } });

  expect(JSON.parse(text)).toMatchObject({
    circle: '<ref *1> { self: [Circular *1] }',
    count: '5n',
    kept: [1],
    msg: 'done',
  });
});

it('causes that go round in a circle come to an end', () => {
  const first = new Error('first');
  first.cause = new Error('second', { cause: first });

  expect(formatJsonLine({ ...line, fields: { err: first } }).match(/"first"/g)).toHaveLength(3);
});
