import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/hook-rig.ts';

const LIBRARY = fileURLToPath(new URL('../../frameworks/shell_lib.sh', import.meta.url));

function run(body: string, env: Readonly<Record<string, string>> = {}) {
  using folder = temporaryFolder();
  const path = join(folder.path, 'hook.sh');
  writeFileSync(path, `#!/usr/bin/env bash\nsource '${LIBRARY}'\n${body}\n`, { mode: 0o755 });
  const given = { PATH: process.env['PATH'] ?? '', ...env };
  const { status, stdout, stderr } = spawnSync('bash', [path, '--config'], { env: given, encoding: 'utf8' });
  return { status, stdout, stderr };
}

const ALL = `environment::text X_NAME --pattern '[a-z]+' --about 'the folder'
environment::integer X_KEEP --default 7 --min 1 --max 9999
environment::number X_FACTOR --default 0.5 --min 0.1 --max 1
environment::duration X_TIMEOUT --default 1h30m --min 1s --seconds seconds
environment::one_of X_TARGET --words 'volume s3 none' --default volume
environment::secret X_PASSWORD --min 8
environment::list X_NAMES --into names --optional --pattern '[a-z]+'
environment::url X_URL --optional
environment::file X_CA --optional
environment::boolean X_VERIFY --default yes
environment::done --prefix X_`;

describe('environment:: of the shell library', { timeout: 60_000 }, () => {
  it('fills in defaults, and gives seconds, true or false, and arrays', () => {
    const body = `${ALL}\necho "$X_KEEP $X_FACTOR $seconds $X_TARGET $X_VERIFY \${#names[@]} \${names[2]} [$X_URL]"`;

    expect(run(body, { X_NAME: 'app', X_PASSWORD: 'long enough', X_NAMES: ' a, b,,c ', X_KEEP: '' })).toEqual({
      status: 0,
      stdout: '7 0.5 5400 volume true 3 c []\n',
      stderr: '',
    });
  });

  it('ends with exit code 78 and all problems at once, in the words of the SDK, and shows no secret', () => {
    const env = {
      X_KEEP: '0',
      X_FACTOR: '1.5',
      X_TIMEOUT: '5x',
      X_TARGET: 'tape',
      X_PASSWORD: 'hunter2',
      X_NAMES: 'a, b1',
      X_URL: 'redis://u:p@h',
      X_CA: '/no/such',
      X_VERIFY: 'maybe\u001b[31m',
      X_KEP: '3',
      X_PORT: 'tcp://10.0.0.1:80',
      X_SERVICE_HOST: '10.0.0.1',
    };

    expect(run(`${ALL}\necho ran`, env)).toEqual({
      status: 78,
      stdout: '',
      stderr: `the environment has 11 problems:
  X_NAME is not set, expected a text, of the form [a-z]+: the folder
  X_KEEP is "0"; expected a whole number from 1 to 9999
  X_FACTOR is "1.5"; expected a number from 0.1 to 1
  X_TIMEOUT is "5x"; expected a duration such as 90s, 5m or 1h30m, at least 1s
  X_TARGET is "tape"; expected volume, s3 or none
  X_PASSWORD has another value; expected a secret text, at least 8 characters
  X_NAMES is "a, b1", and the element 2 is not one; expected a list with commas between its elements, of the form [a-z]+
  X_URL is "redis://***@h"; expected a URL such as https://example.com
  X_CA is "/no/such", and it is not there; expected the absolute path of a file that can be read
  X_VERIFY is "maybe?[31m"; expected true or false
  X_KEP is set, but nothing reads it; did you mean X_KEEP?
correct the environment of the hook, such as \`env\` of the container
`,
    });
  });

  it('takes problems of the hook itself, and programs that are not there', () => {
    const { status, stderr } = run(
      `environment::program no-such-program\nenvironment::problem X_NAME 'is too long with X_DIR'\nenvironment::done`,
    );

    expect(status).toBe(78);
    expect(stderr).toContain('  PATH has no program no-such-program, expected an image with it\n');
    expect(stderr).toContain('  X_NAME is too long with X_DIR\n');
  });

  it.each([
    ['integer', '08', 0],
    ['integer', '-3', 0],
    ['integer', '1.0', 78],
    ['number', '.5', 0],
    ['number', '1.', 0],
    ['number', '.', 78],
    ['duration', '0', 0],
    ['duration', '1.5h', 0],
    ['duration', '5', 78],
    ['boolean', '0', 0],
    ['url', 'https://', 78],
    ['url', 'https://h/x y', 78],
    ['file', '/', 78],
  ])('environment::%s ends for %j with %i', (kind, value, status) => {
    expect(run(`environment::${kind} X\nenvironment::done`, { X: value }).status).toBe(status);
  });
});
