import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { pinnedArguments } from '../scripts/pin-images.ts';
import { temporaryFolder } from './support/hook-rig.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
const digest = `sha256:${'a'.repeat(64)}`;

describe('scripts/pin-images.ts', () => {
  it('pins every image that the Dockerfile takes from a registry', () => {
    const names = [...dockerfile.matchAll(/^FROM \$\{(\w+)\}/gm)].map(([, name = '']) => name);

    const pinned = pinnedArguments(dockerfile, () => `${digest}\n`)
      .trimEnd()
      .split('\n');

    expect(new Set(pinned.map((line) => /^--build-arg (\w+)=\S+:\S+@sha256:a{64}$/.exec(line)?.[1]))).toEqual(
      new Set(names),
    );
    // Each stage stands on one of these, on nothing, or on a stage before it.
    const stages = [...dockerfile.matchAll(/^FROM (\S+)(?: AS (\S+))?/gm)].map(([, from = '', name = '']) => ({
      from,
      name,
    }));
    const known = (index: number): readonly string[] => ['scratch', ...stages.slice(0, index).map(({ name }) => name)];
    expect(stages.filter(({ from }, index) => !from.startsWith('${') && !known(index).includes(from))).toEqual([]);
  });

  it('leaves what is pinned, and arguments within a stage', () => {
    const text = `ARG A=image:1@${digest}\nFROM \${A}\nARG B=2\n`;

    expect(pinnedArguments(text, () => '')).toBe(`--build-arg A=image:1@${digest}\n`);
  });

  it('prints nothing that is no digest', () => {
    expect(() => pinnedArguments('ARG BASE=node:24\nFROM ${BASE}\n', () => 'unauthorized')).toThrow(
      'BASE: the registry gave "unauthorized" for node:24, expected sha256:…',
    );
  });

  it('asks the registry through docker', async () => {
    using folder = temporaryFolder();
    const asked = join(folder.path, 'asked');
    writeFileSync(join(folder.path, 'docker'), `#!/bin/sh\necho "$*" >> ${asked}\necho ${digest}\n`);
    chmodSync(join(folder.path, 'docker'), 0o755);

    const { stdout } = await execa(process.execPath, [join(root, 'scripts', 'pin-images.ts')], {
      env: { PATH: `${folder.path}:${process.env['PATH'] ?? ''}` },
    });

    expect(stdout.split('\n')).toHaveLength(3);
    expect(readFileSync(asked, 'utf8')).toContain(
      'buildx imagetools inspect node:24-trixie-slim --format {{.Manifest.Digest}}',
    );
  });
});
