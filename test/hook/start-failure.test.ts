import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { explainStartFailure, explainFirstLine } from '../../src/hook/start-failure.ts';

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/hooks/${name}`, import.meta.url));

describe('explainFirstLine', () => {
  it.each([
    [
      'config-no-shebang.sh',
      'the file has no shebang, expected a first line that names its interpreter such as #!/bin/sh',
    ],
    [
      'config-crlf.sh',
      'the first line ends with a carriage return ("#!/bin/sh\\r"); save the file with Unix line ends',
    ],
    ['config-crlf-env.sh', 'ends with a carriage return'],
  ])('tells what is wrong with %s', (name, message) => {
    expect(explainFirstLine(fixture(name))).toContain(message);
  });

  it.each([
    ['a script', fixture('config-valid.sh')],
    ['a compiled program', process.execPath],
    ['a file that cannot be opened', fixture('config-absent.sh')],
  ])('finds nothing wrong with %s', (_law, path) => {
    expect(explainFirstLine(path)).toBeUndefined();
  });
});

describe('explainStartFailure', () => {
  it.each([
    ['config-no-interpreter.sh', 'ENOENT', 'the interpreter /usr/local/no/such/interpreter does not exist'],
    ['config-not-executable.sh', 'EACCES', 'permission denied; the file or what it links to needs chmod +x'],
    ['config-valid.sh', 'ENOEXEC', 'exec format error'],
    ['config-absent.sh', 'ENOENT', 'the file cannot be opened (spawn failed); is it a broken link?'],
    ['config-valid.sh', '', 'spawn failed'],
    ['config-valid.sh', undefined, 'spawn failed'],
  ])('explains %s with %s', (name, code, message) => {
    expect(explainStartFailure(fixture(name), { code, message: 'spawn failed' })).toContain(message);
  });

  it('tells a program from a script without interpreter', () => {
    expect(explainStartFailure(process.execPath, { code: 'ENOENT', message: '' })).toBe(
      'a library or loader that the program needs does not exist',
    );
  });
});
