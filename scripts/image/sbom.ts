import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Writes what is in the image that it runs in, as CycloneDX: what is bundled, Node, kubectl, and each package of Debian
// or Alpine. It runs in the build of the image, and needs nothing but Node.
const HOME = '/usr/local/lib/hooklet';
const DEBIAN_STATUS = '/var/lib/dpkg/status';
/** A file for each package, in images without dpkg. */
const DEBIAN_FOLDER = '/var/lib/dpkg/status.d';
const ALPINE_STATUS = '/lib/apk/db/installed';

interface Component {
  readonly type: 'application' | 'library' | 'framework';
  readonly name: string;
  readonly version: string;
  readonly purl: string;
}

const bundled: unknown = JSON.parse(readFileSync(join(HOME, 'dist', 'sbom.cdx.json'), 'utf8'));
if (typeof bundled !== 'object' || bundled === null || !('components' in bundled)) throw new Error('no bundled SBOM');
const { components } = bundled;
if (!Array.isArray(components)) throw new Error('the bundled SBOM has no components');
const distribution = releaseOf(readFileSync('/etc/os-release', 'utf8'));
const added: readonly Component[] = [node(), ...kubectl(), ...debian(), ...alpine()];
writeFileSync(
  join(HOME, 'sbom.cdx.json'),
  `${JSON.stringify({ ...bundled, components: [...components, ...added] }, undefined, 1)}\n`,
);

function node(): Component {
  const version = process.versions.node;
  return { type: 'framework', name: 'node', version, purl: `pkg:generic/node@${version}` };
}

function kubectl(): readonly Component[] {
  if (!existsSync('/usr/local/bin/kubectl')) return [];
  const printed = execFileSync('/usr/local/bin/kubectl', ['version', '--client', '-o', 'json'], { encoding: 'utf8' });
  const version = /"gitVersion": "([^"]+)"/.exec(printed)?.[1] ?? 'unknown';
  return [{ type: 'application', name: 'kubectl', version, purl: `pkg:golang/k8s.io/kubernetes@${version}` }];
}

function debian(): readonly Component[] {
  const texts = existsSync(DEBIAN_FOLDER)
    ? readdirSync(DEBIAN_FOLDER).map((name) => readFileSync(join(DEBIAN_FOLDER, name), 'utf8'))
    : [];
  if (existsSync(DEBIAN_STATUS)) texts.push(...readFileSync(DEBIAN_STATUS, 'utf8').split('\n\n'));
  return texts
    .filter((text) => /^Package: /m.test(text) && !/^Status: .* (?:config-files|not-installed)$/m.test(text))
    .map((text) => packaged('deb', field(text, 'Package'), field(text, 'Version'), field(text, 'Architecture')));
}

function alpine(): readonly Component[] {
  if (!existsSync(ALPINE_STATUS)) return [];
  const texts = readFileSync(ALPINE_STATUS, 'utf8').split('\n\n');
  return texts
    .filter((text) => /^P:/m.test(text))
    .map((text) => packaged('apk', field(text, 'P'), field(text, 'V'), field(text, 'A')));
}

function field(text: string, name: string): string {
  return new RegExp(`^${name}: ?(.*)$`, 'm').exec(text)?.[1] ?? '';
}

function packaged(type: 'deb' | 'apk', name: string, version: string, architecture: string): Component {
  const { id, versionId } = distribution;
  const qualifiers = `arch=${architecture}&distro=${id}-${versionId}`;
  const purl = `pkg:${type}/${id}/${encodeURIComponent(name)}@${encodeURIComponent(version)}?${qualifiers}`;
  return { type: 'library', name, version, purl };
}

function releaseOf(text: string): { readonly id: string; readonly versionId: string } {
  const value = (key: string): string => new RegExp(`^${key}="?([^"\n]*)"?$`, 'm').exec(text)?.[1] ?? '';
  return { id: value('ID'), versionId: value('VERSION_ID') };
}
