import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROGRAMS, PUBLISHED } from './published-packages.ts';

// Prints the part of CHANGELOG.md about a version. Argument: the tag, such as v1.2.3, whose version all packages, the
// chart and the changelog must have too.
const root = join(import.meta.dirname, '..');

/** The notes of a version; throws where the tag and the files do not say the same. */
export function releaseNotes(tag: string, { changelog, manifests, chart }: ReleaseFiles): string {
  const version = /^v(\d+\.\d+\.\d+(?:-[\w.]+)?)$/.exec(tag)?.[1];
  if (version === undefined) throw new Error(`${tag} is no tag of a release, expected one such as v1.2.3`);
  const packaged = Object.entries(manifests).map(
    ([path, manifest]) => [path, /"version": "([^"]+)"/.exec(manifest)?.[1]] as const,
  );
  const charted = ['deploy/chart', /^version: (\S+)$/m.exec(chart)?.[1]] as const;
  for (const [name, found = 'none'] of [...packaged, charted]) {
    if (found !== version) throw new Error(`${name} has version ${found}, the tag is ${tag}`);
  }
  return notesOf(version, changelog);
}

function notesOf(version: string, changelog: string): string {
  const part = changelog.split(/^## /m).find((one) => one.startsWith(`[${version}]`));
  const notes = part?.slice(part.indexOf('\n')).trim() ?? '';
  if (notes === '') throw new Error(`CHANGELOG.md has no part "## [${version}]", or nothing in it`);
  return `${notes}\n`;
}

export interface ReleaseFiles {
  readonly changelog: string;
  /** Those of all packages that are published, by path. */
  readonly manifests: Readonly<Record<string, string>>;
  readonly chart: string;
}

if (process.argv[1] === import.meta.filename) {
  const read = (...path: readonly string[]): string => readFileSync(join(root, ...path), 'utf8');
  const paths = ['package.json', ...[...PUBLISHED, ...PROGRAMS].map((name) => `packages/${name}/package.json`)];
  const files = {
    changelog: read('CHANGELOG.md'),
    manifests: Object.fromEntries(paths.map((path) => [path, read(path)])),
    chart: read('deploy', 'chart', 'Chart.yaml'),
  };
  process.stdout.write(releaseNotes(process.argv[2] ?? '', files));
}
