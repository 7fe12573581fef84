import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HookFile } from '../../src/hook/discover.ts';
import { fingerprintsOf } from '../../src/units/fingerprints.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

let folder: ReturnType<typeof temporaryFolder>;

beforeEach(() => {
  folder = temporaryFolder();
  mkdirSync(join(folder.path, 'lib'));
  write('shell.sh', '1');
  write('warm.ts', '1');
  write('lib/shared.ts', '1');
});

afterEach(() => folder[Symbol.dispose]());

function write(name: string, text: string): void {
  writeFileSync(join(folder.path, name), text);
}

async function fingerprints(types: Readonly<Record<string, HookFile['type']>> = {}) {
  const files = (['shell.sh', 'warm.ts'] as const).map((name): HookFile => ({
    name,
    path: join(folder.path, name),
    type: types[name] ?? (name === 'warm.ts' ? 'warm' : 'process'),
  }));
  return fingerprintsOf(folder.path, files);
}

/** The hooks whose fingerprints differ after `change`. */
async function changedBy(change: () => void, types?: Readonly<Record<string, HookFile['type']>>) {
  const before = await fingerprints();
  change();
  const after = await fingerprints(types);
  return [...after.keys()].filter((name) => after.get(name) !== before.get(name));
}

describe('the fingerprints of hooks', () => {
  it('stay while nothing changes', async () => {
    expect(await changedBy(() => {})).toEqual([]);
  });

  it.each([
    ['a hook that is edited', () => write('shell.sh', 'longer'), ['shell.sh']],
    ['a hook that gets other rights', () => chmodSync(join(folder.path, 'shell.sh'), 0o700), ['shell.sh']],
    ['a hook that is gone', () => rmSync(join(folder.path, 'shell.sh')), ['shell.sh']],
    ['a module that warm hooks may import', () => write('lib/shared.ts', 'longer'), ['warm.ts']],
    ['a module that is new', () => write('lib/new.mjs', ''), ['warm.ts']],
    ['a module that is gone', () => rmSync(join(folder.path, 'lib/shared.ts')), ['warm.ts']],
    ['a file that no hook can import', () => write('lib/functions.sh', ''), []],
    ['a warm hook alone', () => write('warm.ts', 'longer'), ['warm.ts']],
  ])('change with %s', async (_, change, changed) => {
    expect(await changedBy(change)).toEqual(changed);
  });

  it('change when a file becomes another type of hook', async () => {
    expect(await changedBy(() => {}, { 'warm.ts': 'process' })).toEqual(['warm.ts']);
  });

  it('do not look into packages', async () => {
    mkdirSync(join(folder.path, 'node_modules'));

    expect(await changedBy(() => write('node_modules/index.js', ''))).toEqual([]);
  });
});
