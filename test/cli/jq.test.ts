import { describe, expect, it } from 'vitest';
import { runJq } from '../../src/cli/jq/jq.ts';

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const FILES: Readonly<Record<string, string>> = {
  'one.json': '{"a":1}\n{"a":2}\n',
  'program.jq': '# adds\n.a + $n\n',
  'broken.json': '{"a":1}\n{"a":\n',
  'text.txt': 'first\nsecond',
};

/** Runs a jq command line; standard input arrives in the given pieces. */
async function run(args: readonly string[], ...stdin: readonly string[]): Promise<Ran> {
  let out = '';
  let err = '';
  const code = await runJq(args, {
    stdin: bytesOf(stdin),
    stdout: (text) => {
      out += text;
    },
    stderr: (text) => {
      err += text;
    },
    readFile: async (path) => readFrom(path),
    env: { WHO: 'me' },
  });
  return { code, out, err };
}

async function* bytesOf(pieces: readonly string[]): AsyncGenerator<Uint8Array, void, void> {
  for (const piece of pieces) yield new TextEncoder().encode(piece);
}

async function readFrom(path: string): Promise<Uint8Array> {
  const text = FILES[path];
  if (text === undefined) throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' });
  return new TextEncoder().encode(text);
}

describe('help', () => {
  it.each(['-h', '--help'])('is printed for %s wherever it stands, and nothing is run', async (flag) => {
    const { code, out, err } = await run(['-c', '.', flag], '1');

    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^Usage: hooklet jq \[options\] PROGRAM \[FILE…\]\n/);
  });

  it('names every option that is taken', async () => {
    const { out } = await run(['-h']);

    for (const option of ['-c, --compact-output', '-n, --null-input', '--argjson NAME JSON', '--raw-output0']) {
      expect(out).toContain(`  ${option} `);
    }
  });

  it('is no option where a value is taken', async () => {
    expect((await run(['-n', '-c', '--arg', 'a', '--help', '$a'])).out).toBe('"--help"\n');
  });
});

describe('output', () => {
  it.each([
    [['.'], '{"b":[1],"a":"é"}', '{\n  "b": [\n    1\n  ],\n  "a": "é"\n}\n'],
    [['-c', '.'], '{"b":[1]}', '{"b":[1]}\n'],
    [['-S', '-c', '.'], '{"b":1,"a":2}', '{"a":2,"b":1}\n'],
    [['-r', '.a'], '{"a":"x\\ny"}', 'x\ny\n'],
    [['-j', '.[]'], '["a",1,"b"]', 'a1b'],
    [['-ac', '.'], '"é😀"', '"\\u00e9\\ud83d\\ude00"\n'],
    [['--tab', '.'], '[1]', '[\n\t1\n]\n'],
    [['--indent', '1', '.'], '[1]', '[\n 1\n]\n'],
    [['--indent', '0', '.'], '[1]', '[1]\n'],
    [['-rc', '.[]'], '["a",{"b":1}]', 'a\n{"b":1}\n'],
    [['--seq', '.'], '1', '\u001e1\n'],
    [['-C', '-M', '-c', '.'], '[1]', '[1]\n'],
    [['--raw-output0', '.[]'], '["a","b"]', 'a\0b\0'],
  ])('of %j', async (args, stdin, out) => {
    expect(await run(args, stdin)).toEqual({ code: 0, out, err: '' });
  });
});

describe('input', () => {
  it('is any number of documents, cut anywhere', async () => {
    expect((await run(['-c', '.'], '{"a"', ':1}{"a"', ':2} 3', '4 "x', ' y" [', ']')).out).toBe(
      '{"a":1}\n{"a":2}\n34\n"x y"\n[]\n',
    );
    expect((await run(['.'], '"\xe9"')).out).toBe('"é"\n');
  });

  it.each([
    [['-n', '1 + 1'], 'not JSON', '2\n'],
    [['-s', '-c', '.'], '1 2 3', '[1,2,3]\n'],
    [['-s', '-c', '.'], '', '[]\n'],
    [['-R', '.'], 'a\nb', '"a"\n"b"\n'],
    [['-Rs', '.'], 'a\nb\n', '"a\\nb\\n"\n'],
    [['-Rn', '-c', '[inputs]'], 'a\nb\n', '["a","b"]\n'],
    [['-n', '-c', '[inputs]'], '1 2 3', '[1,2,3]\n'],
    [['-c', '[., input]'], '1 2 3 4', '[1,2]\n[3,4]\n'],
    [['-n', 'input, input'], '1 2 3', '1\n2\n'],
    [['-n', 'reduce inputs as $x (0; . + $x)'], '1 2 3', '6\n'],
    [['-n', '-c', 'first(inputs), [inputs]'], '1 2 3', '1\n[2,3]\n'],
    [['--stream', '-c', '.'], '{"a":[1]}', '[["a",0],1]\n[["a",0]]\n[["a"]]\n'],
    [['-c', '.a', 'one.json'], '', '1\n2\n'],
    [['-c', 'input_filename', 'one.json'], '', '"one.json"\n"one.json"\n'],
    [['input_line_number'], '1\n2\n', '1\n2\n'],
  ])('of %j', async (args, stdin, out) => {
    expect(await run(args, stdin)).toEqual({ code: 0, out, err: '' });
  });
});

describe('variables', () => {
  it.each([
    [['-n', '--arg', 'a', '1', '$a'], '"1"\n'],
    [['-n', '-c', '--argjson', 'a', '{"x":[1]}', '$a'], '{"x":[1]}\n'],
    [['-n', '-c', '--arg', 'a', '1', '$ARGS.named'], '{"a":"1"}\n'],
    [['-n', '-c', '$ARGS.positional', '--args', 'a', 'b'], '["a","b"]\n'],
    [['-n', '-c', '--jsonargs', '$ARGS.positional', '1', '{}'], '[1,{}]\n'],
    [['-n', '-c', '--slurpfile', 'f', 'one.json', '$f'], '[{"a":1},{"a":2}]\n'],
    [['-n', '--rawfile', 'f', 'text.txt', '$f'], '"first\\nsecond"\n'],
    [['-n', 'env.WHO, $ENV.WHO'], '"me"\n"me"\n'],
    [['--argjson', 'n', '10', '-f', 'program.jq', 'one.json'], '11\n12\n'],
    [['--argjson', 'n', '1', '--from-file', 'program.jq', 'one.json'], '2\n3\n'],
  ])('of %j', async (args, out) => {
    expect(await run(args)).toEqual({ code: 0, out, err: '' });
  });
});

describe('exit codes', () => {
  it.each<[readonly string[], string, number, string, string]>([
    [['.a'], '1', 5, '', 'jq: error (at <stdin>:0): Cannot index number with string ("a")\n'],
    [
      ['-c', '.a'],
      '{"a":1}\n1\n{"a":3}\n',
      5,
      '1\n3\n',
      'jq: error (at <stdin>:2): Cannot index number with string ("a")\n',
    ],
    [['-n', 'error({a: 1})'], '', 5, '', 'jq: error (at <unknown>) (not a string): {"a":1}\n'],
    [
      ['.a.b', 'one.json'],
      '',
      5,
      '',
      'jq: error (at one.json:1): Cannot index number with string ("b")\njq: error (at one.json:2): Cannot index number with string ("b")\n',
    ],
    [['-e', '.'], 'null', 1, 'null\n', ''],
    [['-e', '.'], 'false', 1, 'false\n', ''],
    [['-e', '.'], 'null 1', 0, 'null\n1\n', ''],
    [['-e', 'empty'], '1', 4, '', ''],
    [['--exit-status', '.'], '', 4, '', ''],
    [['-n', 'halt'], '', 0, '', ''],
    [['-n', '"bye\n" | halt_error'], '', 5, '', 'bye\n'],
    [['-n', '{"a":1} | halt_error(3)'], '', 3, '', '{"a":1}\n'],
    [['-n', '1, halt, 2'], '', 0, '1\n', ''],
    [
      ['.'],
      '{"a":1} {"a":',
      2,
      '{\n  "a": 1\n}\n',
      'jq: parse error: Unfinished JSON term at EOF at line 1, column 5\n',
    ],
    [
      ['-c', '.', 'missing.json', 'one.json'],
      '',
      2,
      '{"a":1}\n{"a":2}\n',
      'jq: error: Could not open missing.json: No such file or directory\n',
    ],
    [
      ['-c', '.', 'broken.json'],
      '',
      2,
      '{"a":1}\n',
      'jq: parse error: Unfinished JSON term at EOF at line 3, column 0\n',
    ],
    [['-f', 'missing.jq'], '', 2, '', 'jq: error: Could not open missing.jq: No such file or directory\n'],
    [['-n', '"x" | debug'], '', 0, '"x"\n', '["DEBUG:","x"]\n'],
    [['-n', '"x" | stderr'], '', 0, '"x"\n', '"x"'],
  ])('of %j on %j is %d', async (...[args, stdin, code, out, err]) => {
    expect(await run(args, stdin)).toEqual({ code, out, err });
  });

  it('of a program that does not compile is 3, with the place', async () => {
    const { code, err } = await run(['.a['], '1');

    expect(code).toBe(3);
    expect(err).toContain(
      'jq: error: syntax error: unexpected end of the expression, expected a filter at line 1, column 4',
    );
  });

  it.each([
    [['--nope', '.']],
    [['-Z', '.']],
    [[]],
    [['--arg', 'x']],
    [['--indent', '9', '.']],
    [['--argjson', 'x', '{', '.']],
  ])('of the wrong usage %j is 2', async (args) => {
    const { code, out, err } = await run(args, '1');

    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^jq: /);
  });
});

it('options may stand anywhere, and end at --', async () => {
  expect((await run(['.a', '-c', '--', 'one.json'])).out).toBe('1\n2\n');
  expect((await run(['-n', '--', '-1'])).out).toBe('-1\n');
});

it('a program is compiled before any input is read', async () => {
  const neverEnding = {
    [Symbol.asyncIterator]: () => ({ next: () => new Promise<IteratorResult<Uint8Array>>(() => {}) }),
  };
  let err = '';
  const code = await runJq(['nope'], {
    stdin: neverEnding,
    stdout: () => {},
    stderr: (text) => {
      err += text;
    },
    readFile: readFrom,
    env: {},
  });

  expect(code).toBe(3);
  expect(err).toContain('nope/0 is not defined');
});

it('outputs come before the input has ended', async () => {
  const outputs: string[] = [];
  async function* stdin(): AsyncGenerator<Uint8Array, void, void> {
    yield new TextEncoder().encode('{"a":1} {');
    expect(outputs).toEqual(['1\n']);
    yield new TextEncoder().encode('"a":2}');
  }

  const code = await runJq(['.a'], {
    stdin: stdin(),
    stdout: (text) => outputs.push(text),
    stderr: () => {},
    readFile: readFrom,
    env: {},
  });

  expect(code).toBe(0);
  expect(outputs).toEqual(['1\n', '2\n']);
});
