import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readFileSync, readSync } from 'node:fs';
import { connect, createServer, Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openLineOutput } from '../../src/lib/line-output.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

const MODULE = new URL('../../src/lib/line-output.ts', import.meta.url).href;
const SETUP = `const { openLineOutput } = await import('${MODULE}');
  const output = openLineOutput(1, { gap: (lines) => 'dropped ' + lines + '\\n', limitBytes: 100_000 });
  const write = (count) => { for (let i = 0; i < count; i += 1) output.write('x'.repeat(99) + '\\n'); };`;

interface Outlet {
  /** The descriptor that the process gets as standard output. */
  readonly end: number | Socket;
  /** Called once the process has inherited it. */
  handOver(): void;
  readToEnd(): Promise<string>;
}

const OUTLETS = { pipe: namedPipe, socket: socketPair };

/** A process that runs `script`, and whose output is not read until `read` is called. */
async function startWriter(script: string, type: keyof typeof OUTLETS) {
  const outlet = await OUTLETS[type]();
  const args = ['--input-type=module', '-e', `${SETUP}\n${script}`];
  const child = spawn(process.execPath, args, { stdio: ['ignore', outlet.end, 'inherit', 'ipc'] });
  outlet.handOver();
  return { child, exited: exitOf(child), read: async () => outlet.readToEnd() };
}

async function namedPipe(): Promise<Outlet> {
  const path = join(testFolder(), 'out');
  execFileSync('mkfifo', [path]);
  const readFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writeFd = openSync(path, constants.O_WRONLY);
  onTestFinished(() => closeSync(readFd));
  return {
    end: writeFd,
    handOver: () => closeSync(writeFd),
    async readToEnd() {
      const buffer = Buffer.alloc(65_536);
      const chunks: string[] = [];
      for (;;) {
        try {
          const count = readSync(readFd, buffer);
          if (count === 0) return chunks.join('');
          chunks.push(buffer.toString('utf8', 0, count));
        } catch {
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
      }
    },
  };
}

async function socketPair(): Promise<Outlet> {
  const path = join(testFolder(), 'socket');
  const server = createServer({ pauseOnConnect: true }).listen(path);
  const accepted = once(server, 'connection');
  const end = connect(path);
  const [reader]: unknown[] = await accepted;
  if (!(reader instanceof Socket)) throw new Error('not connected');
  await once(end, 'connect');
  server.close();
  onTestFinished(() => void reader.destroy());
  return { end, handOver: () => void end.destroy(), readToEnd: async () => text(reader) };
}

function testFolder(): string {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  return folder.path;
}

function startUnread(script: string) {
  const args = ['--input-type=module', '-e', `${SETUP}\n${script}`];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  return { child, exited: exitOf(child) };
}

async function exitOf(child: ChildProcess): Promise<unknown> {
  const [code] = await once(child, 'exit');
  return code;
}

async function messageOf(child: ChildProcess): Promise<unknown> {
  const [message] = await once(child, 'message');
  return message;
}

describe('an output for lines', () => {
  it('writes to a file at once', () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'out');
    const fd = openSync(path, 'w');

    const output = openLineOutput(fd);
    output.write('ä\n');
    output.write('b\n');
    closeSync(fd);

    expect(readFileSync(path, 'utf8')).toBe('ä\nb\n');
  });

  it('counts what cannot be written', () => {
    const output = openLineOutput(-1);

    output.write('x\n');
    output.write('two\nlines\n');

    expect(output.droppedLines).toBe(3);
  });

  it('counts what is written after its reader is gone, and the process goes on', async () => {
    const script = 'process.once("message", () => { write(10); process.send(output.droppedLines); });';
    const { child, exited } = startUnread(script);
    child.stdout?.destroy();
    child.send('go');

    expect(await messageOf(child)).toBe(10);
    child.disconnect();
    expect(await exited).toBe(0);
  });

  describe.each(['pipe', 'socket'] as const)('a %s that is not read', (outlet) => {
    it('does not hold up the event loop, and costs no more memory than the limit', async () => {
      const script = `setInterval(() => {}, 1000).unref();
        const before = performance.now();
        write(10_000);
        await new Promise((resolve) => setTimeout(resolve, 50));
        process.send({ isQuick: performance.now() - before < 5000, dropped: output.droppedLines });
        process.once('message', () => process.exit(0));`;
      const writer = await startWriter(script, outlet);

      const report = await messageOf(writer.child);

      expect(report).toMatchObject({ isQuick: true });
      // 1 MB was written: 100 KB are buffered, and the system accepts no more than 256 KB.
      expect(report).toHaveProperty(
        'dropped',
        expect.toSatisfy((lines: number) => lines > 6000 && lines < 9000),
      );
      writer.child.send('end');
      await writer.read();
    });

    it('gets the gap line in place of dropped lines, once it reads again', async () => {
      const script = `write(10_000);
        process.once('message', () => { write(10); process.disconnect(); });
        process.send(output.droppedLines);`;
      const writer = await startWriter(script, outlet);
      const dropped = await messageOf(writer.child);
      const reading = writer.read();
      setTimeout(() => writer.child.send('more'), 300);

      const lines = (await reading).trimEnd().split('\n');

      const gap = lines.indexOf(`dropped ${String(dropped)}`);
      expect(gap).toBe(10_000 - Number(dropped));
      expect(lines.slice(gap + 1)).toEqual(Array.from({ length: 10 }, () => 'x'.repeat(99)));
    });

    it('loses nothing at exit when it is read then', async () => {
      const writer = await startWriter('write(1000); process.exit(7);', outlet);
      // The pipe is full long before it is read.
      await new Promise((resolve) => setTimeout(resolve, 200));

      expect((await writer.read()).length).toBe(100_000);
      expect(await writer.exited).toBe(7);
    });

    it('is given up 1 s after the end of the process', async () => {
      const script = `write(10_000); process.send('full'); process.exitCode = 3; process.disconnect();`;
      const writer = await startWriter(script, outlet);
      await messageOf(writer.child);
      const startedAt = performance.now();

      expect(await writer.exited).toBe(3);
      const tookMs = performance.now() - startedAt;
      expect(tookMs).toBeGreaterThan(900);
      expect(tookMs).toBeLessThan(3000);
    });
  });
});
