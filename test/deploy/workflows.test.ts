import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '@hooklet/sandbox';
import { objectAt, objectsAt, textAt } from '@hooklet/sandbox/testing';
import { parseDocument } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { imageNames } from '../../scripts/image-tags.ts';
import { releaseNotes } from '../../scripts/release-notes.ts';

const root = join(import.meta.dirname, '..', '..');
const files = globSync('.github/workflows/*.yml', { cwd: root }).toSorted();

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

function workflow(path: string): JsonObject {
  const document = parseDocument(read(path), { uniqueKeys: true });
  expect(document.errors).toEqual([]);
  const value: unknown = document.toJS();
  if (isJsonObject(value)) return value;
  throw new Error(`${path} is no workflow`);
}

function jobsOf(path: string): readonly (readonly [name: string, job: JsonObject])[] {
  return Object.entries(objectAt(workflow(path), 'jobs')).map(([name, job]) => [name, isJsonObject(job) ? job : {}]);
}

function scriptsOf(path: string): readonly string[] {
  return jobsOf(path).flatMap(([, job]) => objectsAt(job, 'steps').flatMap((step) => textAt(step, 'run').split('\n')));
}

describe('the workflows', () => {
  it('are those of checks, of releases, and of the scorecard', () => {
    expect(files.map((file) => file.replace(/.*\//, ''))).toEqual(['ci.yml', 'release.yml', 'scorecard.yml']);
  });

  it.each(files)('%s gives no right to all jobs, and each job a limit of time', (path) => {
    expect(workflow(path)['permissions']).toEqual({});
    for (const [name, job] of jobsOf(path)) {
      expect({ name, permissions: typeof job['permissions'] }).toEqual({ name, permissions: 'object' });
      expect({ name, limit: typeof job['timeout-minutes'] }).toEqual({ name, limit: 'number' });
    }
  });

  it('give the right to write only to jobs that publish, and an identity only to those that sign', () => {
    const written = files.flatMap((path) =>
      jobsOf(path).map(([name, { permissions }]) => {
        const given = Object.entries(isJsonObject(permissions) ? permissions : {});
        return `${name}: ${given.flatMap(([scope, right]) => (right === 'write' ? [scope] : [])).join(' ')}`;
      }),
    );

    expect(written).toEqual([
      'check: ',
      'version: ',
      'npm: id-token',
      'image: packages id-token',
      'chart: packages id-token',
      'notes: contents',
      'scorecard: id-token',
    ]);
  });

  it.each(files)('%s pins each action by its commit, with the version beside it', (path) => {
    const used = read(path).match(/uses: .*/g) ?? [];

    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((line) => !/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  it('pin an action by the same commit everywhere', () => {
    const used = new Set(files.flatMap((path) => read(path).match(/uses: \S+/g) ?? []));

    expect(new Set([...used].map((line) => line.replace(/@.*/, ''))).size).toBe(used.size);
  });

  it.each(files)('%s runs only scripts that there are', (path) => {
    const scripts = scriptsOf(path);
    const named = scripts.flatMap((line) => [...line.matchAll(/\bnpm run ([\w:]+)/g)].map(([, name = '']) => name));
    const paths = scripts.flatMap((line) =>
      [...line.matchAll(/\b(?:node|bash) ([\w./-]+)/g)].map(([, name = '']) => name),
    );

    expect(named.filter((name) => !Object.keys(packageJson.scripts).includes(name))).toEqual([]);
    expect(paths.filter((name) => !existsSync(join(root, name)))).toEqual([]);
  });

  it.each(files)('%s lets no text of others become a part of a script', (path) => {
    expect(scriptsOf(path).filter((line) => line.includes('${{'))).toEqual([]);
  });

  it.each(files)('%s waits only for jobs that there are', (path) => {
    const jobs = jobsOf(path);
    const names = jobs.map(([name]) => name);
    const needed = jobs.flatMap(([, { needs = [] }]) => (Array.isArray(needs) ? needs : [needs]));

    expect(names).toEqual(expect.arrayContaining(needed));
  });

  it('build both images of the Dockerfile in a release', () => {
    const stages = [...read('Dockerfile').matchAll(/^FROM \S+ AS (\S+)$/gm)].map(([, name]) => name);
    const [, image = {}] = jobsOf('.github/workflows/release.yml').find(([name]) => name === 'image') ?? [];
    const targets = objectsAt(image, 'strategy', 'matrix', 'include').map((entry) => textAt(entry, 'target'));

    expect(targets).toEqual(['full', 'slim']);
    expect(stages).toEqual(expect.arrayContaining(targets));
    // What `docker build .` makes.
    expect(stages.at(-1)).toBe('full');
  });
});

describe('the notes of a release', () => {
  const release = {
    changelog:
      '# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-01-05\n\n### Added\n\n- One.\n\n## [1.2.2]\n\n- Old.\n',
    manifests: { 'package.json': '{"version": "1.2.3"}', 'packages/jq/package.json': '{"version": "1.2.3"}' },
    chart: 'apiVersion: v2\nversion: 1.2.3\n',
  };

  it('are the part of the changelog', () => {
    expect(releaseNotes('v1.2.3', release)).toBe('### Added\n\n- One.\n');
  });

  it.each([
    ['1.2.3', {}, 'no tag of a release'],
    ['v1.2.4', {}, 'package.json has version 1.2.3, the tag is v1.2.4'],
    ['v1.2.3', { manifests: { 'packages/jq/package.json': '{}' } }, 'packages/jq/package.json has version none'],
    ['v1.2.3', { chart: 'version: 1.2.2\n' }, 'deploy/chart has version 1.2.2'],
    ['v1.2.3', { changelog: '## [Unreleased]\n' }, 'CHANGELOG.md has no part "## [1.2.3]"'],
  ])('of %s with %o are refused', (tag, change, message) => {
    expect(() => releaseNotes(tag, { ...release, ...change })).toThrow(message);
  });
});

describe('the names of an image', () => {
  it('are its version, and the floating ones', () => {
    expect(imageNames({ tag: 'v1.2.3', repository: 'Some/Name', suffix: '-slim' })).toEqual({
      image: 'ghcr.io/some/name',
      tags: ['ghcr.io/some/name:1.2.3-slim', 'ghcr.io/some/name:1.2-slim', 'ghcr.io/some/name:1-slim'],
    });
  });

  it('of a preview are its version alone', () => {
    const { tags } = imageNames({ tag: 'v1.2.3-rc.1', repository: 'a/b', suffix: '' });

    expect(tags).toEqual(['ghcr.io/a/b:1.2.3-rc.1']);
  });
});
