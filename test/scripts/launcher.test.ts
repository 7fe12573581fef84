import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../support/hook-rig.ts';

const text = readFileSync(join(import.meta.dirname, '..', '..', 'scripts', 'image', 'launcher.sh'), 'utf8');
const NODE = '#!/bin/sh\necho "$* compat=${HOOKLET_COMPAT-unset}"\n';

let tmp: ReturnType<typeof temporaryFolder>;
let home = '';
beforeEach(() => {
  tmp = temporaryFolder();
  home = join(tmp.path, 'home');
  mkdirSync(join(home, 'bin'), { recursive: true });
  writeFileSync(join(home, 'bin', 'node'), NODE, { mode: 0o755 });
  for (const name of ['hooklet', 'shell-operator']) {
    writeFileSync(join(tmp.path, name), text.replace('/usr/local/lib/hooklet', home), { mode: 0o755 });
  }
});
afterEach(() => tmp[Symbol.dispose]());

async function call(name: string, env: Readonly<Record<string, string>> = {}) {
  return execa(join(tmp.path, name), ['queue', 'list', 'a b'], { env, reject: false });
}

it('starts what is in its folder, as shell-operator where it is called so', async () => {
  const said = (compat: string): string => `${home}/dist/main.js queue list a b compat=${compat}`;

  expect((await call('hooklet')).stdout).toBe(said('unset'));
  expect((await call('shell-operator')).stdout).toBe(said('shell-operator'));
  expect((await call('shell-operator', { HOOKLET_COMPAT: 'no' })).stdout).toBe(said('no'));
});

it('says what to copy where its folder is missing', async () => {
  rmSync(home, { recursive: true });

  const { exitCode, stderr } = await call('shell-operator');

  expect(exitCode).toBe(127);
  expect(stderr).toBe(
    `${tmp.path}/shell-operator: this image has no ${home}, copy that folder into it too: COPY --from=<image of hooklet> ${home} ${home}`,
  );
});
