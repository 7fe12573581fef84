import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { examplesDir } from '../support/example-rig.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

const SCRIPT = join(examplesDir, '330-static-website', 'hooks', 'lib', 'archive.sh');
const HOST = '127.0.0.1';
const run = promisify(execFile);

/** A tar.gz of what is in a folder, made by tar with these arguments. */
async function packed(fill: (folder: string) => void, args: readonly string[] = ['.']): Promise<Buffer> {
  using folder = temporaryFolder();
  const files = join(folder.path, 'files');
  mkdirSync(files);
  fill(files);
  const { stdout } = await run('tar', ['-czf', '-', '-C', files, ...args], { encoding: 'buffer', maxBuffer: 1e8 });
  return stdout;
}

/** An empty index.html. */
function openedIn(folder: string): string {
  const path = join(folder, 'index.html');
  writeFileSync(path, '');
  return path;
}

const page = (folder: string): void => writeFileSync(join(folder, 'index.html'), 'hello');

interface Served {
  /** What is expected; by default the right one. */
  readonly sum?: string;
  readonly answer?: RequestListener;
  /** The name by which the server is called. */
  readonly host?: string;
  readonly path?: string;
  /** `ARCHIVE_HOSTS` of the operator. */
  readonly allowed?: string;
}

/** What the script says of an archive that a real server on this machine has. */
async function saidOf(
  body: Buffer,
  { sum, answer, host = HOST, path = '/site.tar.gz', allowed = HOST }: Served = {},
): Promise<string> {
  using folder = temporaryFolder();
  const server = createServer(answer ?? ((_, response) => response.end(body)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  try {
    const sha256 = sum ?? createHash('sha256').update(body).digest('hex');
    const words = [SCRIPT, `http://${host}:${port}${path}`, sha256, folder.path];
    const { stdout } = await run('bash', words, { env: { ...process.env, ARCHIVE_HOSTS: allowed } });
    return stdout.replaceAll(`http://${host}:${port}`, '');
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

it('takes an archive with an index.html at its top, whatever its names begin with', async () => {
  expect(await saidOf(await packed(page))).toBe('');
  expect(await saidOf(await packed(page, ['index.html']))).toBe('');
});

it.each([
  ['a file outside of it', ['-P', '--transform=s|index|../index|', './index.html'], 'paths that lead out of it'],
  ['a file at the root', ['-P', '--transform=s|^./|/etc/|', './index.html'], 'paths that lead out of it'],
])('refuses %s', async (_, args, said) => {
  expect(await saidOf(await packed(page, args))).toContain(said);
});

it('refuses a link, through which the files of the Pod would be served', async () => {
  const linked = await packed((folder) => {
    page(folder);
    symlinkSync('/var/run/secrets', join(folder, 'secrets'));
  });

  expect(await saidOf(linked)).toContain('has links, devices, or paths that lead out of it');
});

it('refuses what has no index.html, what is no archive, and what has another checksum', async () => {
  const none = await packed((folder) => writeFileSync(join(folder, 'other.html'), 'hello'));

  expect(await saidOf(none)).toContain('/site.tar.gz has no index.html at its top, or an empty one');
  expect(await saidOf(Buffer.from('no archive'))).toContain('/site.tar.gz is no tar.gz; pack it with tar -czf');
  expect(await saidOf(gzipSync('no archive'))).toContain('/site.tar.gz is no tar.gz; pack it with tar -czf');
  expect(await saidOf(await packed(page), { sum: '0'.repeat(64) })).toMatch(
    /has \d+ bytes of the sha256 [0-9a-f]{64}, expected 0{64}; correct spec\.archive\.sha256, or the archive$/,
  );
});

it.each([
  ['something behind it', (body: Buffer) => Buffer.concat([body, Buffer.from('more')])],
  ['another check value', (body: Buffer) => Buffer.concat([body.subarray(0, -8), Buffer.alloc(4), body.subarray(-4)])],
  ['an end that is missing', (body: Buffer) => body.subarray(0, -4)],
])('refuses an archive with %s, which the Pods could not unpack', async (_, broken) => {
  expect(await saidOf(broken(await packed(page)))).toContain('/site.tar.gz is no tar.gz; pack it with tar -czf');
});

it('prometheus-operator#4832: refuses more than 1,000,000 bytes, without reading all of them', async () => {
  let sent = 0;
  const chunk = Buffer.alloc(100_000, 'x');
  const answer: RequestListener = (_, response) => {
    const send = (): void => {
      while (sent < 1e9 && !response.destroyed) {
        sent += chunk.length;
        if (!response.write(chunk)) return void response.once('drain', send);
      }
    };
    send();
  };

  expect(await saidOf(Buffer.alloc(0), { answer })).toContain('has more than 1000000 bytes');
  expect(sent).toBeLessThan(1e8);
});

it('refuses 65 MB that are packed to less than 100 kB', async () => {
  const large = await packed((folder) => {
    page(folder);
    writeFileSync(join(folder, 'zeros'), Buffer.alloc(65_000_000));
  });

  expect(large.length).toBeLessThan(100_000);
  expect(await saidOf(large)).toContain('has more than 64000000 bytes when it is unpacked; make the site smaller');
});

it('says what a server answered, and that a file of this machine is none', async () => {
  const answer: RequestListener = (_, response) => response.writeHead(404).end('sorry');
  const redirected: RequestListener = (_, response) =>
    response.writeHead(302, { location: 'file:///etc/passwd' }).end();

  expect(await saidOf(Buffer.alloc(0), { answer })).toMatch(/cannot be read: curl: \(22\) .*404/);
  expect(await saidOf(Buffer.alloc(0), { answer: redirected })).toBe(
    '/site.tar.gz leads to file:///etc/passwd, expected http:// or https://',
  );
});

it.each(['127.0.0.1', 'localhost', '2130706433', '0x7f.1', '0'])(
  'never asks %s, which is this Pod or its node, unless the operator allows that host',
  async (host) => {
    let asked = 0;
    const answer: RequestListener = (_, response) => {
      asked += 1;
      response.end('secret');
    };

    expect(await saidOf(Buffer.alloc(0), { answer, host, allowed: '' })).toMatch(
      /leads to \S+ at \S+, which is not asked; ARCHIVE_HOSTS of the operator can allow that host$/,
    );
    expect(asked).toBe(0);
  },
);

it.each(['169.254.169.254', 'localhost', '100.100.100.200'])(
  'does not follow a redirection to %s, where a cloud or this node has secrets',
  async (host) => {
    const answer: RequestListener = (_, response) =>
      response.writeHead(302, { location: `http://${host}/latest/meta-data/` }).end();

    expect(await saidOf(Buffer.alloc(0), { answer })).toMatch(
      new RegExp(`leads to ${host} at \\S+, which is not asked`),
    );
  },
);

it.each(['/[1-100]', '/{a,b}', '/next'])(
  'takes brackets and braces of %s as they are, in one request',
  async (path) => {
    const asked: (string | undefined)[] = [];
    const answer: RequestListener = ({ url }, response) => {
      asked.push(url);
      if (url === '/next') response.writeHead(302, { location: '/{a,b}' });
      response.end();
    };

    expect(await saidOf(Buffer.alloc(0), { answer, path })).toContain('is no tar.gz');
    expect(asked).toEqual(path === '/next' ? ['/next', '/{a,b}'] : [path]);
  },
);

it('follows 3 redirections, and not the fourth', async () => {
  const archive = await packed(page);
  const after = (count: number): RequestListener => {
    let left = count;
    return (_, response) => {
      if (left-- > 0) response.writeHead(302, { location: '/next' }).end();
      else response.end(archive);
    };
  };

  expect(await saidOf(archive, { answer: after(3) })).toBe('');
  expect(await saidOf(archive, { answer: after(4) })).toContain('it is redirected more than 3 times');
});

it('ends within 45 s with a server that sends a byte a second', { timeout: 60_000 }, async () => {
  const started = performance.now();
  const answer: RequestListener = (_, response) => {
    const timer = setInterval(() => response.write('x'), 1000);
    response.on('close', () => clearInterval(timer));
  };

  expect(await saidOf(Buffer.alloc(0), { answer })).toMatch(/cannot be read: curl: \(28\) .*timed out/);
  expect(performance.now() - started).toBeLessThan(45_000);
});

it('refuses a file of 1 TB that is all holes, although it is small packed and unpacked', async () => {
  const sparse = await packed((folder) => truncateSync(openedIn(folder), 1e12), ['--sparse', '.']);

  expect(sparse.length).toBeLessThan(100_000);
  expect(await saidOf(sparse)).toContain('has more than 64000000 bytes when it is unpacked; make the site smaller');
});

it('refuses 5,001 files and folders, which would use up the inodes of a node', { timeout: 60_000 }, async () => {
  const many = await packed((folder) => {
    page(folder);
    for (let index = 0; index < 4_999; index++) writeFileSync(join(folder, `${index}`), '');
  });

  expect(await saidOf(many)).toContain('has 5001 files and folders, expected at most 5000');
});

it('is not fooled by names with newlines, which look like more than one', async () => {
  const named = (name: string) =>
    packed((folder) => {
      mkdirSync(join(folder, dirname(name)), { recursive: true });
      writeFileSync(join(folder, name), 'hello');
    });

  expect(await saidOf(await named('a\nindex.html'))).toContain('has no index.html at its top');
  expect(await saidOf(await named('x\n-rw/index.html'))).toContain('has no index.html at its top');
});
