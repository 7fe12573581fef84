import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { examplesDir } from '../support/example-rig.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

const SCRIPT = join(examplesDir, '330-static-website', 'hooks', 'lib', 'archive.sh');
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

const page = (folder: string): void => writeFileSync(join(folder, 'index.html'), 'hello');

/** What the script says of an archive that a real server has; `sum` is expected, by default the right one. */
async function saidOf(body: Buffer, { sum, answer }: { sum?: string; answer?: RequestListener } = {}): Promise<string> {
  using folder = temporaryFolder();
  const server = createServer(answer ?? ((_, response) => response.end(body)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  try {
    const sha256 = sum ?? createHash('sha256').update(body).digest('hex');
    const { stdout } = await run('bash', [SCRIPT, `http://127.0.0.1:${port}/site.tar.gz`, sha256, folder.path]);
    return stdout.replaceAll(`http://127.0.0.1:${port}`, '');
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

it('refuses more than 1,000,000 bytes, without reading all of them', async () => {
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
  expect(await saidOf(Buffer.alloc(0), { answer: redirected })).toMatch(/cannot be read: curl: \(1\) .*file/i);
});
