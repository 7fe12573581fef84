import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  boolean,
  describeEnvironment,
  duration,
  environment,
  EnvironmentError,
  environmentTable,
  file,
  integer,
  list,
  number,
  oneOf,
  secret,
  text,
  url,
  type Variable,
} from '../../src/sdk/index.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

/** The lines of the error about one variable X; empty where there is none. */
function problemOf(variable: Variable<unknown>, value: string | undefined): string {
  try {
    environment({ X: variable }, { env: { X: value } });
    return '';
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    return error.problems.map(({ message }) => message).join('\n');
  }
}

describe('environment', () => {
  it('gives each variable its value and its type, and defaults where it is not set or empty', () => {
    const values = environment(
      {
        KEEP: integer({ min: 1, max: 9999, default: 7 }),
        FACTOR: number({ default: 0.5 }),
        VERIFY: boolean({ default: true }),
        TIMEOUT: duration({ default: '1h30m' }),
        TARGET: oneOf(['volume', 's3'], { default: 'volume' }),
        NAME: text({ pattern: /[a-z]+/ }),
        ENDPOINT: url({ optional: true }),
        NAMES: list(text(), { default: 'a, b,' }),
        PASSWORD: secret(),
      },
      { env: { KEEP: '', NAME: 'app', PASSWORD: 'x' } },
    );

    expect(values).toEqual({
      KEEP: 7,
      FACTOR: 0.5,
      VERIFY: true,
      TIMEOUT: 5_400_000,
      TARGET: 'volume',
      NAME: 'app',
      ENDPOINT: undefined,
      NAMES: ['a', 'b'],
      PASSWORD: 'x',
    });
    expectTypeOf(values.KEEP).toEqualTypeOf<number>();
    expectTypeOf(values.TARGET).toEqualTypeOf<'volume' | 's3'>();
    expectTypeOf(values.ENDPOINT).toEqualTypeOf<string | undefined>();
    expectTypeOf(values.NAMES).toEqualTypeOf<readonly string[]>();
  });

  it.each([
    { variable: integer({ min: 1, max: 9 }), value: '0', problem: 'is "0"; expected a whole number from 1 to 9' },
    { variable: integer(), value: '1e3', problem: 'is "1e3"; expected a whole number' },
    { variable: integer({ min: 1 }), value: undefined, problem: 'is not set, expected a whole number, at least 1' },
    { variable: number({ max: 1 }), value: '1.5', problem: 'is "1.5"; expected a number, at most 1' },
    { variable: boolean(), value: 'maybe', problem: 'is "maybe"; expected true or false' },
    {
      variable: duration({ min: '1s' }),
      value: '5x',
      problem: 'is "5x"; expected a duration such as 90s, 5m or 1h30m, at least 1s',
    },
    { variable: oneOf(['a', 'b', 'c']), value: 'd', problem: 'is "d"; expected a, b or c' },
    {
      variable: text({ max: 3, expected: 'a short name' }),
      value: 'long',
      problem: 'is "long"; expected a text, at most 3 characters: a short name',
    },
    { variable: text({ pattern: /a|b/ }), value: 'ab', problem: 'is "ab"; expected a text, of the form a|b' },
    {
      variable: url(),
      value: 'ftp://u:p@h/x',
      problem: 'is "ftp://***@h/x"; expected a URL such as https://example.com',
    },
    {
      variable: file(),
      value: '/no/such',
      problem: 'is "/no/such", and it is not there; expected the absolute path of a file that can be read',
    },
    {
      variable: file(),
      value: 'x',
      problem: 'is "x", and it does not begin with "/"; expected the absolute path of a file that can be read',
    },
    {
      variable: list(integer(), { max: 2 }),
      value: '1,2,3',
      problem:
        'is "1,2,3", and it has 3 elements; expected a list with commas between its elements, at most 2, each a whole number',
    },
    {
      variable: list(integer()),
      value: '1,x',
      problem:
        'is "1,x", and the element 2 is not one; expected a list with commas between its elements, each a whole number',
    },
    {
      variable: text({ max: 1 }),
      value: 'a\u001b[31m\nb',
      problem: 'is "a\\u{1b}[31m\\u{a}b"; expected a text, at most 1 characters',
    },
  ])('says of $value that it $problem', ({ variable, value, problem }) => {
    expect(problemOf(variable, value)).toBe(problem);
  });

  it('shows nothing of a secret', () => {
    const problem = problemOf(secret({ min: 20, pattern: /[a-f]+/ }), 'hunter2');

    expect(problem).toMatch(/^has another value; expected a secret text/);
    expect(problem).not.toContain('hunter2');
    expect(problemOf(list(secret({ min: 20 })), 'hunter2')).not.toContain('hunter2');
  });

  it('throws one error with all problems, those of misspelled names too, but not of Services of the namespace', () => {
    const variables = { BACKUP_KEEP: integer({ default: 7 }), BACKUP_NAME: text() };
    const services = {
      BACKUP_SERVICE_HOST: '10.0.0.1',
      BACKUP_SERVICE_PORT: '80',
      BACKUP_PORT_80_TCP: 'tcp://10.0.0.1',
    };
    const env = { BACKUP_KEP: '3', BACKUP_UNHEARD_OF: 'x', ...services };

    expect(() => environment(variables, { prefix: 'BACKUP_', env })).toThrow(
      `the environment has 3 problems:
  BACKUP_NAME is not set, expected a text
  BACKUP_KEP is set, but nothing reads it; did you mean BACKUP_KEEP?
  BACKUP_UNHEARD_OF is set, but nothing reads it; expected one of BACKUP_KEEP, BACKUP_NAME
correct the environment of the hook, such as \`env\` of the container`,
    );
  });

  it('asks what is wrong with values together where each alone is right', () => {
    const variables = { A: integer(), B: integer() };
    const check = ({ A, B }: { readonly A: number; readonly B: number }) =>
      A > B ? [{ name: 'A', message: `is ${A}, expected at most B, which is ${B}` }] : [];

    expect(environment(variables, { env: { A: '1', B: '2' }, check })).toEqual({ A: 1, B: 2 });
    expect(() => environment(variables, { env: { A: '3', B: '2' }, check })).toThrow('A is 3, expected at most B');
    expect(() => environment(variables, { env: { A: '3' }, check })).toThrow('B is not set');
  });

  it('takes a file that can be read', () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'ca.pem');
    writeFileSync(path, '');

    expect(environment({ CA: file() }, { env: { CA: path } })).toEqual({ CA: path });
  });

  it('refuses a default that the variable itself refuses', () => {
    expect(() => integer({ min: 1, default: 0 })).toThrow('default: got "0", expected a whole number, at least 1');
    expect(() => duration({ default: 'soon' })).toThrow('default: got "soon"');
  });

  it('is described for a README, in a table', () => {
    const variables = {
      KEEP: integer({ default: 7, expected: 'how many are kept' }),
      PASSWORD: secret(),
      URL: url({ optional: true }),
    };

    expect(describeEnvironment(variables)[1]).toEqual({
      name: 'PASSWORD',
      default: '',
      isRequired: true,
      isSecret: true,
      expected: 'a secret text',
    });
    expect(environmentTable(variables)).toBe(`| Variable   | Default  | Value                             |
| ---------- | -------- | --------------------------------- |
| \`KEEP\`     | \`7\`      | a whole number: how many are kept |
| \`PASSWORD\` | required | a secret text                     |
| \`URL\`      |          | a URL such as https://example.com |`);
  });
});
