import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createHookHashes } from '../../src/operator/dead-letters/hook-hashes.ts';
import { hookWith } from '../support/bindings.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

it('a hook has the hash of its content, which another copy with the same content has too', async () => {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const hookAt = (name: string, content: string) => {
    const path = join(folder.path, name);
    writeFileSync(path, content);
    return { ...hookWith(name), path };
  };
  const hashOf = createHookHashes();
  const hashes = [hookAt('a', 'one'), hookAt('b', 'one'), hookAt('c', 'two')].map(hashOf);
  const [a, b, c] = await Promise.all(hashes);

  expect(a).toMatch(/^[0-9a-f]{16}$/);
  expect(b).toBe(a);
  expect(c).not.toBe(a);
  expect(await hashOf({ ...hookWith('gone'), path: join(folder.path, 'gone') })).toBeUndefined();
});
