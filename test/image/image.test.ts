import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { runContainer } from './container.ts';

const { hooklet } = inject('images');
let tmp = '';

beforeAll(() => {
  tmp = mkdtempSync(join(tmpdir(), 'hooklet-image-test-'));
});
afterAll(() => rmSync(tmp, { recursive: true }));

/** What a line of shell prints in the image. */
async function shell(line: string, user = hooklet.user): Promise<string> {
  const ended = await runContainer(hooklet, { command: ['sh', '-c', line], user, writable: true });
  expect(ended).toMatchObject({ exitCode: 0 });
  return ended.stdout.trim();
}

describe('the image', () => {
  it('starts hooklet under tini, as a user that is not root', () => {
    expect(hooklet).toMatchObject({
      command: ['/sbin/tini', '--', 'hooklet', 'start'],
      user: '65532:65532',
      env: { SHELL_OPERATOR_HOOKS_DIR: '/hooks', LOG_TYPE: 'json', HOOKLET_SHELL_LIB: '/shell_lib.sh' },
    });
  });

  it.each([
    ['bash --version', /^GNU bash, version 5\./],
    ['jq --version', /^jq-1\./],
    ['curl --version', /^curl \d/],
    ['kubectl version --client', /^Client Version: v1\.35\./],
    ['/sbin/tini --version', /^tini version/],
    ['sed --version', /^sed \(GNU sed\)/],
    ['node --version', /^v24\./],
    ['hooklet version', /^hooklet \d/],
    ['/shell-operator version', /^hooklet \d/],
    // The C library uses the settings of the image for its allocator.
    ['/lib*/*/ld-linux-*.so.* --list-tunables | grep malloc.trim_threshold:', /: 0x20000 /],
    ['wc -l < /etc/ssl/certs/ca-certificates.crt', /^\d{4}/],
  ])('has what `%s` asks for', async (line, expected) => {
    expect(await shell(line)).toMatch(expected);
  });

  it.each(['/build', '/out', '/run/secrets/ca.pem', '/usr/local/lib/node_modules/npm'])(
    'has no %s: the build leaves nothing',
    (path) => {
      expect(existsSync(join(hooklet.root, path))).toBe(false);
    },
  );

  it('has an empty folder for hooks', async () => {
    expect(await shell('ls -A /hooks')).toBe('');
  });

  it('has the library for hooks in bash, and the package for hooks in TypeScript', async () => {
    expect(await shell('ls /shell_lib.sh /frameworks/shell/hook.sh /node_modules/hooklet/package.json')).toBe(
      '/frameworks/shell/hook.sh\n/node_modules/hooklet/package.json\n/shell_lib.sh',
    );
  });

  it.each(['0:0', '1000680000:0'])('works as the user %s too', async (user) => {
    expect(await shell('id -u; hooklet check --allow-skipped /hooks', user)).toContain(user.split(':')[0]);
  });

  it.each([hooklet.user, '0:0'])('brings what it needs at a start compiled, for the user %s', async (user) => {
    const compiled = '/usr/local/lib/hooklet/dist/compiled/';

    const report = await shell(
      'export NODE_DEBUG_NATIVE=COMPILE_CACHE; hooklet version 2>&1; hooklet jq -n 1 2>&1',
      user,
    );

    expect(report).toMatch(new RegExp(`reading cache from ${compiled}.* success`));
    expect(report).toContain('was accepted');
    expect(report).not.toContain('was not initialized');
  });

  it('lets its user write nothing but temporary files', async () => {
    const elsewhere = '! -type l ! -path "/proc/*" ! -path "/dev/*" ! -path "/tmp/*"';
    const writable = await shell(`find / -xdev -writable ${elsewhere} 2>/dev/null || true`);

    expect(writable.split('\n').toSorted()).toEqual(['/run/lock', '/tmp', '/var/tmp']);
  });

  it('says where hooks are missing, with the exit code of wrong use', async () => {
    const { exitCode, stderr } = await runContainer(hooklet, {
      command: ['/sbin/tini', '--', 'hooklet', 'start'],
      env: { SHELL_OPERATOR_HOOKS_DIR: '/nowhere' },
      mounts: { '/tmp': tmp },
    });

    expect(stderr).toContain('/nowhere does not exist');
    expect(exitCode).toBe(2);
  });

  it('says what is wrong where the temporary folder cannot be written', async () => {
    const { exitCode, stderr } = await runContainer(hooklet);

    expect(stderr).toContain('the temporary folder /tmp/hooklet cannot be used: EROFS');
    expect(exitCode).toBe(2);
  });
});
