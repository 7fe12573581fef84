import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COPIED_PROGRAMS, IMAGE_PROGRAMS } from '../cluster/solutions/backup-image.ts';
import { solutionsDir } from '../support/solutions.ts';

const solution = join(solutionsDir, 'backup');
const dockerfile = instructions(join(solution, 'Dockerfile'));
// What the Dockerfile of hooklet runs for Debian.
const base = instructions(join(solutionsDir, '..', 'scripts', 'image', 'base.sh'));

// Those packages that every Debian image contains.
const ALWAYS = ['bash', 'coreutils', 'diffutils', 'findutils', 'grep', 'gzip', 'mawk', 'sed', 'tar', 'util-linux'];
// Installed not for a program, but for the locales of databases.
const LOCALES = 'locales';

function instructions(path: string): string {
  return readFileSync(path, 'utf8')
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll('\\\n', ' ');
}

function installedBy(text: string): readonly string[] {
  return [...text.matchAll(/apt-get install ([^&\n]+)/g)]
    .flatMap(([, packages = '']) => packages.trim().split(/\s+/))
    .filter((word) => !word.startsWith('-'));
}

// The cluster tests run the scripts with only these programs.
describe('the image of the scheduled backups', () => {
  it('is made of files there are', () => {
    const copies = [...dockerfile.matchAll(/^(?:COPY|ADD) (?!--from)(.+) \S+$/gm)].flatMap(([, from = '']) =>
      from.split(/\s+/),
    );

    expect(copies).toEqual(['restore', 'hooks']);
    expect(copies.filter((path) => !existsSync(join(solution, path)))).toEqual([]);
  });

  it('has every program that the scripts use', () => {
    const installed = new Set([...ALWAYS, ...installedBy(base), ...installedBy(dockerfile)]);

    expect(Object.keys(IMAGE_PROGRAMS).filter((name) => !installed.has(name))).toEqual([]);
    for (const program of COPIED_PROGRAMS) {
      expect(dockerfile).toMatch(
        new RegExp(`COPY --from=\\S*/etcd:\\S+ .*/usr/local/bin/${program} .*/usr/local/bin/`),
      );
    }
  });

  it('installs nothing that no script needs', () => {
    const needed = new Set([...Object.keys(IMAGE_PROGRAMS), LOCALES]);

    expect(installedBy(dockerfile).filter((name) => !needed.has(name))).toEqual([]);
  });
});
