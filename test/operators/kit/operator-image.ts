import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Image } from '@hooklet/test-kubelet';
import { buildProgram } from '../../cluster/solutions/built-program.ts';
import { linkOrCopy } from '../../support/link-or-copy.ts';

/** What images of operators are made of; it is removed with them. */
export interface OperatorParts extends Disposable {
  /** A folder with `node` and `hooklet`, for images of other programs too. */
  readonly programs: string;
  /** The image of an operator with these hooks, as its Dockerfile makes it. */
  imageOf(hooks: string): Image;
}

/** Builds hooklet, to be run in Pods of the test kubelet. */
export async function operatorParts(): Promise<OperatorParts> {
  const built = await buildProgram();
  // Other users cannot enter the outer folder, so containers see the inner one elsewhere: they have a /tmp of their own.
  const outer = mkdtempSync(join(tmpdir(), 'hooklet-operator-programs-'));
  const programs = join(outer, 'bin');
  mkdirSync(programs, { mode: 0o755 });
  linkOrCopy(process.execPath, join(programs, 'node'));
  const hooklet = join(programs, 'hooklet');
  writeFileSync(hooklet, '#!/bin/sh\nexec node /opt/hooklet/dist/main.js "$@"\n');
  chmodSync(hooklet, 0o755);
  return {
    programs,
    imageOf: (hooks) => ({
      programs: [programs],
      entrypoint: ['hooklet'],
      cmd: ['start'],
      env: { SHELL_OPERATOR_HOOKS_DIR: '/hooks', LOG_TYPE: 'json' },
      files: { '/hooks': hooks, '/opt/hooklet': built.folder },
    }),
    [Symbol.dispose]: () => {
      built[Symbol.dispose]();
      rmSync(outer, { recursive: true, force: true });
    },
  };
}
