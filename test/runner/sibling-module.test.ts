import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { siblingModule } from '../../src/runner/sibling-module.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

describe('siblingModule', () => {
  it.each(['spawner-process', 'warm-process'])('finds %s in the sources', (name) => {
    expect(existsSync(siblingModule(name))).toBe(true);
  });

  it.each(['main.js', 'chunks/shared-ABC.js'])('finds it in the bundle from %s', (from) => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, 'chunks'));
    writeFileSync(join(folder.path, 'warm-process.js'), '');

    const found = siblingModule('warm-process', pathToFileURL(join(folder.path, from)).href);

    expect(found).toBe(join(folder.path, 'warm-process.js'));
  });
});
