import type { BackupServers } from './backup-servers.ts';

/** Runs the restore script of a database with arguments, and returns its output. */
export type RestoreScript = (...args: readonly string[]) => Promise<string>;

/** A database that is backed up, with more data than fits into a pipe. */
export interface BackupSource {
  readonly database: 'postgresql' | 'redis' | 'etcd';
  /** The settings with which the hook connects to it. */
  readonly env: Readonly<Record<string, string>>;
  /** The program that makes the dump, and the file it writes. */
  readonly dumper: { readonly program: string; readonly file: string };
  /** The contents, for a comparison. */
  content(): Promise<string>;
  /** Deletes the data, restores the newest backup, and returns the restored contents. */
  restored(script: RestoreScript): Promise<string>;
}

/** A database that runs for all tests of a file. */
export type RunningSource = BackupSource & AsyncDisposable;

const CONTENT = `
local keys, all = redis.call('KEYS', '*'), ''
table.sort(keys)
for _, key in ipairs(keys) do all = all .. key .. '=' .. redis.call('GET', key) .. ';' end
return #keys .. ' keys ' .. redis.sha1hex(all)`;

/** The Redis of the servers. */
export function redisSource({ redis, redisPort }: BackupServers): BackupSource {
  const content = async (): Promise<string> => redis('EVAL', CONTENT, '0');
  return {
    database: 'redis',
    env: { REDIS_HOST: '127.0.0.1', REDIS_PORT: String(redisPort) },
    dumper: { program: 'redis-cli', file: '$dump' },
    content,
    restored: async (script) => {
      await redis('FLUSHALL');
      await script();
      return content();
    },
  };
}
