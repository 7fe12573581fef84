import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { runContainer } from './container.ts';
import { NAMED } from './global-setup.ts';
import type { Image } from './image-store.ts';

const { hooklet, slim, extended } = inject('images');
let tmp = '';

beforeAll(() => {
  tmp = mkdtempSync(join(tmpdir(), 'hooklet-image-test-'));
});
afterAll(() => rmSync(tmp, { recursive: true }));

/** What a line of shell prints in the image. */
async function shell(line: string, user = hooklet.user, image = hooklet): Promise<string> {
  const ended = await runContainer(image, { command: ['sh', '-c', line], user, writable: true });
  expect(ended).toMatchObject({ exitCode: 0 });
  return ended.stdout.trim();
}

describe('the image', () => {
  it('starts hooklet under tini, as a user that is not root', () => {
    expect(hooklet).toMatchObject({
      command: ['/sbin/tini', '--', 'hooklet', 'start'],
      user: '65532:65532',
      env: { SHELL_OPERATOR_HOOKS_DIR: '/hooks', LOG_TYPE: 'json', HOOKLET_SHELL_LIB: '/shell_lib.sh' },
    });
  });

  it.each([
    ['bash --version', /^GNU bash, version 5\./],
    ['jq --version', /^jq-1\./],
    ['curl --version', /^curl \d/],
    ['kubectl version --client', /^Client Version: v1\.35\./],
    ['/sbin/tini --version', /^tini version/],
    ['sed --version', /^sed \(GNU sed\)/],
    ['node --version', /^v24\./],
    ['hooklet version', /^hooklet \d/],
    ['/shell-operator version', /^hooklet \d/],
    // The C library uses the settings of the image for its allocator.
    ['/lib*/*/ld-linux-*.so.* --list-tunables | grep malloc.trim_threshold:', /: 0x20000 /],
    ['wc -l < /etc/ssl/certs/ca-certificates.crt', /^\d{4}/],
  ])('has what `%s` asks for', async (line, expected) => {
    expect(await shell(line)).toMatch(expected);
  });

  it.each(['/build', '/out', '/run/secrets/ca.pem', '/usr/local/lib/node_modules/npm'])(
    'has no %s: the build leaves nothing',
    (path) => {
      expect(existsSync(join(hooklet.root, path))).toBe(false);
    },
  );

  it('has an empty folder for hooks', async () => {
    expect(await shell('ls -A /hooks')).toBe('');
  });

  it('has the library for hooks in bash, and the package for hooks in TypeScript', async () => {
    expect(await shell('ls /shell_lib.sh /frameworks/shell/hook.sh /node_modules/hooklet/package.json')).toBe(
      '/frameworks/shell/hook.sh\n/node_modules/hooklet/package.json\n/shell_lib.sh',
    );
  });

  it.each(['0:0', '1000680000:0'])('works as the user %s too', async (user) => {
    expect(await shell('id -u; hooklet check --allow-skipped /hooks', user)).toContain(user.split(':')[0]);
  });

  it.each([hooklet.user, '0:0'])('brings what it needs at a start compiled, for the user %s', async (user) => {
    const compiled = '/usr/local/lib/hooklet/dist/compiled/';

    const report = await shell(
      'export NODE_DEBUG_NATIVE=COMPILE_CACHE; hooklet version 2>&1; hooklet jq -n 1 2>&1',
      user,
    );

    expect(report).toMatch(new RegExp(`reading cache from ${compiled}.* success`));
    expect(report).toContain('was accepted');
    expect(report).not.toContain('was not initialized');
  });

  it('lets its user write nothing but temporary files', async () => {
    const elsewhere = '! -type l ! -path "/proc/*" ! -path "/dev/*" ! -path "/tmp/*"';
    const writable = await shell(`find / -xdev -writable ${elsewhere} 2>/dev/null || true`);

    expect(writable.split('\n').toSorted()).toEqual(['/run/lock', '/tmp', '/var/tmp']);
  });

  it('says where hooks are missing, with the exit code of wrong use', async () => {
    const { exitCode, stderr } = await runContainer(hooklet, {
      command: ['/sbin/tini', '--', 'hooklet', 'start'],
      env: { SHELL_OPERATOR_HOOKS_DIR: '/nowhere' },
      mounts: { '/tmp': tmp },
    });

    expect(stderr).toContain('/nowhere does not exist');
    expect(exitCode).toBe(2);
  });

  it('says what is wrong where the temporary folder cannot be written', async () => {
    const { exitCode, stderr } = await runContainer(hooklet);

    expect(stderr).toContain('the temporary folder /tmp/hooklet cannot be used: EROFS');
    expect(exitCode).toBe(2);
  });
});

describe('the small image', () => {
  it('starts as the other does', () => {
    const { command, user, env } = hooklet;

    expect(slim).toMatchObject({ command, user, env });
  });

  it.each([
    ['node --version', /^v24\./],
    ['hooklet version', /^hooklet \d/],
    ['/shell-operator version', /^hooklet \d/],
    ['/sbin/tini --version', /^tini version/],
    ['hooklet jq -n "[1, 2] | add"', /^3$/],
    ['wc -l < /etc/ssl/certs/ca-certificates.crt', /^\d{4}/],
    ['TZ=Europe/Berlin date -d "2026-01-05 03:00:00" +%Z', /^CET$/],
    ['ls /node_modules/hooklet/package.json', /^\/node_modules\/hooklet\/package\.json$/],
  ])('has what `%s` asks for', async (line, expected) => {
    expect(await shell(line, slim.user, slim)).toMatch(expected);
  });

  it('has no bash, jq, curl, kubectl, perl and packages', async () => {
    const programs = 'bash jq curl kubectl perl apt-get dpkg';

    expect(await shell(`for name in ${programs}; do command -v $name || true; done`, slim.user, slim)).toBe('');
  });

  it('lets its user write nothing but temporary files', async () => {
    const elsewhere = '! -type l ! -path "/proc/*" ! -path "/dev/*" ! -path "/tmp/*"';
    // busybox's find knows no -writable.
    const writable = await shell(`find / -xdev ${elsewhere} -perm -o+w 2>/dev/null || true`, slim.user, slim);

    expect(writable.split('\n').toSorted()).toEqual(['/tmp', '/var/lock', '/var/tmp']);
  });

  it('runs a hook that is a script for sh', async () => {
    const write = 'mkdir /tmp/h; printf "#!/bin/sh\\necho in \\$0 >&2; exit 1\\n" > /tmp/h/a; chmod 755 /tmp/h/a';
    const ended = await runContainer(slim, { command: ['sh', '-c', `${write}; hooklet check /tmp/h`], writable: true });

    expect(ended.stdout + ended.stderr).toContain('in /tmp/h/a');
  });
});

describe.each([
  { name: 'the image', image: hooklet, megabytes: 250 },
  { name: 'the small image', image: slim, megabytes: 140 },
])('$name', ({ name, image, megabytes }) => {
  it(`has at most ${megabytes} MB of files`, () => {
    process.stderr.write(`${name}: ${(image.bytes / 1e6).toFixed(1)} MB\n`);
    expect(image.bytes / 1e6).toBeLessThanOrEqual(megabytes);
  });

  it('lists in its SBOM each bundled package, each package of Debian, and what else runs', () => {
    const sbom: Sbom = JSON.parse(readFileSync(join(image.root, HOME, 'sbom.cdx.json'), 'utf8'));
    const named = sbom.components.map(({ purl }) => purl);
    const bundled: Sbom = JSON.parse(readFileSync(join(image.root, HOME, 'dist', 'sbom.cdx.json'), 'utf8'));

    expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: 'hooklet' } } });
    expect(named).toEqual(expect.arrayContaining(bundled.components.map(({ purl }) => purl)));
    expect(named.filter((purl) => purl.startsWith('pkg:deb/')).toSorted()).toEqual(debianPackages(image).toSorted());
    expect(named).toContainEqual(expect.stringMatching(/^pkg:generic\/node@24\./));
    expect(named.some((purl) => purl.startsWith('pkg:golang/k8s.io/kubernetes@v1.35.'))).toBe(image === hooklet);
    expect(new Set(named).size).toBe(named.length);
  });
});

describe('the labels of an image', () => {
  it('are those that its build is told', () => {
    expect(hooklet.labels).toMatchObject({
      'org.opencontainers.image.title': 'hooklet',
      'org.opencontainers.image.licenses': packageJson.license,
      'org.opencontainers.image.version': NAMED.VERSION,
      'org.opencontainers.image.revision': NAMED.REVISION,
      'org.opencontainers.image.source': NAMED.SOURCE,
    });
    expect(hooklet.labels['org.opencontainers.image.description']).toMatch(/^\w.{20}/);
  });

  it('have the version of the package, where it is told none', () => {
    expect(slim.labels['org.opencontainers.image.version']).toBe(packageJson.version);
  });
});

describe('an image on top', () => {
  it('can install packages, also what the image leaves out', async () => {
    const what = 'id -nu hooks; command -v adduser; python3 -c "print(1)"';

    expect(await shell(what, '0:0', extended)).toBe('hooks\n/usr/sbin/adduser\n1');
  });
});

const HOME = 'usr/local/lib/hooklet';

interface Sbom {
  readonly components: readonly { readonly purl: string }[];
}

/** The packages that dpkg has installed, as package URLs. */
function debianPackages({ root }: Image): readonly string[] {
  const folder = join(root, 'var/lib/dpkg');
  const texts = existsSync(join(folder, 'status'))
    ? readFileSync(join(folder, 'status'), 'utf8').split('\n\n')
    : readdirSync(join(folder, 'status.d')).map((name) => readFileSync(join(folder, 'status.d', name), 'utf8'));
  return texts.flatMap((text) => {
    const of = (field: string): string => new RegExp(`^${field}: (.*)$`, 'm').exec(text)?.[1] ?? '';
    if (of('Package') === '') return [];
    return `pkg:deb/debian/${encodeURIComponent(of('Package'))}@${encodeURIComponent(of('Version'))}?arch=${of('Architecture')}&distro=debian-13`;
  });
}
