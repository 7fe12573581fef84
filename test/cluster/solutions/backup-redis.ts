import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePorts } from '../free-ports.ts';
import { ServerProcess } from '../server-process.ts';
import { eventually } from './eventually.ts';

/** A Redis as a process of this machine. */
export interface RedisServer extends AsyncDisposable {
  /** The settings with which a hook connects to it. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs redis-cli; returns its output. */
  readonly ask: (...words: readonly string[]) => Promise<string>;
}

/** Starts a new, empty server, or one with the `dump.rdb` of a folder; it has 16 databases by default. */
export async function startRedis(dataFolder?: string, databases = 16): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'hooklet-redis-'));
  const [port = 0] = await freePorts(1);
  const place = { port, bind: '127.0.0.1', dir: dataFolder ?? folder, databases };
  const flags = { ...place, save: '', 'repl-diskless-sync-delay': 0 };
  const words = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const server = new ServerProcess('redis-server', words, { logFolder: folder });
  await server.start();
  const ask: RedisServer['ask'] = async (...command) =>
    (await promisify(execFile)('redis-cli', ['-e', '-p', String(port), ...command])).stdout.trim();
  await eventually(async () => {
    if ((await ask('PING')) !== 'PONG') throw new Error('Redis does not answer');
  });
  return {
    env: { REDIS_HOST: '127.0.0.1', REDIS_PORT: String(port) },
    ask,
    async [Symbol.asyncDispose]() {
      await server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
