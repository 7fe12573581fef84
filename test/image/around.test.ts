import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { runContainer, type Ended } from './container.ts';
import type { Image } from './image-store.ts';

const { shellOperator, repacked, alone, alpine } = inject('images');
const LIBRARY = fileURLToPath(new URL('hooks/library.sh', import.meta.url));
const HOME = '/usr/local/lib/hooklet';
const RUN = ['run', '/given/library.sh', '--event', 'onStartup'];
/** Hooks that tell something about their surroundings by failing. */
const COMPAT = '#!/bin/sh\necho "compat ${HOOKLET_COMPAT-unset}" >&2\nexit 1\n';
const FIRST = '#!/bin/sh\necho "first process: $(cat /proc/1/comm)" >&2\nexit 1\n';

let given = '';
let empty = '';
beforeAll(() => {
  given = mkdtempSync(join(tmpdir(), 'hooklet-around-'));
  empty = join(given, 'lib');
  mkdirSync(empty);
  const library = readFileSync(LIBRARY, 'utf8');
  const hooks = { 'library.sh': library, 'own.sh': library.replace('/shell_lib.sh', '"$HOOKLET_SHELL_LIB"') };
  for (const [name, text] of Object.entries({ ...hooks, compat: COMPAT, first: FIRST })) {
    writeFileSync(join(given, name), text, { mode: 0o755 });
  }
  chmodSync(given, 0o755);
});
afterAll(() => rmSync(given, { recursive: true }));

async function ended(image: Image, ...command: readonly string[]): Promise<Ended> {
  const env = { SHELL_OPERATOR_HOOKS_DIR: '/hooks' };
  return runContainer(image, { command, user: '0:0', env, mounts: { '/given': given }, writable: true });
}

/** What a program prints in an image, as its first process. */
async function printed(image: Image, ...command: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await ended(image, ...command);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  return stdout;
}

describe('the image with the entry point of shell-operator', () => {
  it('starts /shell-operator under tini, as root', () => {
    const command = ['/sbin/tini', '--', '/shell-operator', 'start'];

    expect(shellOperator).toMatchObject({ command, user: '0:0', env: { SHELL_OPERATOR_HOOKS_DIR: '/hooks' } });
  });

  it('tells the program by which name it was called', async () => {
    const by = async (program: string) => {
      const { stdout, stderr } = await ended(shellOperator, 'sh', '-c', `${program} check /given/compat`);
      return stdout + stderr;
    };

    expect(await by('/shell-operator')).toContain('compat shell-operator');
    expect(await by('HOOKLET_COMPAT=no /shell-operator')).toContain('compat no');
    expect(await by('hooklet')).toContain('compat unset');
  });

  it('takes packages in a Dockerfile on top, and has kubectl where the other image has it', async () => {
    expect(await printed(shellOperator, 'sh', '-c', 'test -w /var/lib/dpkg && id -u')).toBe('0\n');
    expect(await printed(shellOperator, '/bin/kubectl', 'version', '--client')).toContain('v1.35.');
  });
});

describe('another base without node', () => {
  it('runs hooklet from what a Dockerfile takes out of the image of shell-operator, and its one folder', async () => {
    expect(await printed(repacked, '/shell-operator', 'version')).toMatch(/^hooklet \d/);
    expect(await printed(repacked, '/shell-operator', ...RUN)).toContain('library hook, onStartup, in /hooks');
  });

  it('runs it from that folder alone, where the library is the one of the package', async () => {
    const run = ['run', '/given/own.sh', '--event', 'onStartup'];

    expect(await printed(alone, `${HOME}/bin/hooklet`, ...run)).toContain('library hook, onStartup, in /hooks');
  });

  it('runs it under tini where it is the first process', async () => {
    const { stdout, stderr } = await ended(alone, `${HOME}/bin/shell-operator`, 'check', '/given/first');

    expect(stdout + stderr).toContain('first process: tini');
  });

  it('says what is missing where only the program was copied', async () => {
    const mounts = { [HOME]: empty };

    const { exitCode, stderr } = await runContainer(repacked, { command: ['/shell-operator'], user: '0:0', mounts });

    expect(exitCode).toBe(127);
    expect(stderr).toContain(`COPY --from=<image of hooklet> ${HOME} ${HOME}`);
  });
});

describe('a stand-in for Alpine, with the programs of busybox', () => {
  it('is made ready with apk', () => {
    const asked = readFileSync(join(alpine.root, 'apk.log'), 'utf8');

    expect(asked).toBe('apk add --no-cache bash ca-certificates curl jq libstdc++ sed tini\n');
  });

  it('has the user, its folder for temporary files, and tini where manifests look for it', async () => {
    const what = 'id -u hooklet; stat -c %a /tmp/hooklet; ls /sbin/tini; readlink "$(command -v mkfifo)"';

    expect(await printed(alpine, 'sh', '-c', what)).toMatch(/^65532\n1777\n\/sbin\/tini\n.*\/busybox\n$/);
  });

  it('runs hooks with the programs that are there', async () => {
    expect(await printed(alpine, '/shell-operator', ...RUN)).toContain('library hook, onStartup, in /hooks');
  });
});
