import { describe, expect, it } from 'vitest';
import { runFilter } from '../../src/cli/jq/filter.ts';
import { UsageError } from '../../src/errors.ts';

async function run(args: readonly string[], stdin = '') {
  let out = '';
  let err = '';
  async function* chunks(): AsyncGenerator<Uint8Array, void, void> {
    yield new TextEncoder().encode(stdin);
  }
  const code = await runFilter(args, {
    stdin: chunks(),
    stdout: (text) => {
      out += text;
    },
    stderr: (text) => {
      err += text;
    },
  });
  return { code, out, err };
}

const POD = '{"kind":"Pod","metadata":{"name":"a","namespace":"shop","labels":{"app":"x"}}}';

describe('a filterResult a line', () => {
  it.each<[string, readonly string[], string, string]>([
    ['a JSON object', ['.metadata.name'], POD, '"a"\n'],
    ['a stream of JSON objects', ['.metadata.name, .kind'], `${POD}\n${POD}`, '["a","Pod"]\n["a","Pod"]\n'],
    ['a List', ['.metadata.name'], `{"kind":"PodList","items":[${POD},{"metadata":{"name":"b"}}]}`, '"a"\n"b"\n'],
    ['an array', ['.metadata.name'], `[${POD}]`, '"a"\n'],
    [
      'YAML documents',
      ['.metadata.name'],
      'metadata:\n  name: a\n---\n# nothing\n---\nmetadata: {name: b}\n',
      '"a"\n"b"\n',
    ],
    ['YAML with a List', ['.a'], 'kind: List\nitems:\n- a: 1\n- a: [2]\n', '1\n[2]\n'],
    ['no output', ['empty'], POD, 'null\n'],
    ['a JSONPath', ['--jsonpath', '{.metadata.labels}'], POD, '{"app":"x"}\n'],
    ['an expression that begins with a hyphen', ['--', '-1'], POD, '-1\n'],
    ['nothing at all', ['.'], '', ''],
  ])('of %s', async (_what, args, stdin, out) => {
    expect(await run(args, stdin)).toEqual({ code: 0, out, err: '' });
  });
});

it('an object the filter fails on is a null, a message and exit code 1', async () => {
  const { code, out, err } = await run(['.metadata.name | error'], `${POD} {"metadata":{"name":"b"}}`);

  expect({ code, out }).toEqual({ code: 1, out: 'null\nnull\n' });
  expect(err).toBe('hooklet filter: object 1 (Pod shop a): a\nhooklet filter: object 2 (b): b\n');
});

it.each<[readonly string[], string, string]>([
  [[], POD, 'takes one expression, received 0'],
  [['.a', '.b'], POD, 'takes one expression, received 2'],
  [['.['], POD, 'filter: '],
  [['--jsonpath', 'x'], POD, 'filter: '],
  [['--nope', '.'], POD, 'unknown option --nope'],
  [['.'], '{"a":', 'not valid JSON'],
  [['.'], 'a: [1', 'not valid YAML'],
])('wrong usage is a UsageError: %j on %j', async (args, stdin, message) => {
  await expect(run(args, stdin)).rejects.toThrow(UsageError);
  await expect(run(args, stdin)).rejects.toThrow(message);
});

it('--help says how it is used', async () => {
  expect((await run(['--help'])).out).toContain('usage: hooklet filter');
});
