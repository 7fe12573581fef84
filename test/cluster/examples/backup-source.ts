import type { BackupServers } from './backup-servers.ts';

/** What the restore script of a database prints, when it is run with arguments. */
export type RestoreScript = (...args: readonly string[]) => Promise<string>;

/** A database that is backed up: with more in it than a pipe takes at once. */
export interface BackupSource {
  readonly database: 'postgresql' | 'redis' | 'etcd';
  /** The settings of the hook that lead to it. */
  readonly env: Readonly<Record<string, string>>;
  /** Who makes the dump, and the file it is written to, as the hook has it. */
  readonly dumper: { readonly program: string; readonly file: string };
  /** What is in it, to be compared. */
  content(): Promise<string>;
  /** Loses what is in it, brings the newest backup back, and returns what came back. */
  restored(script: RestoreScript): Promise<string>;
}

/** A database that runs for the tests of a file. */
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
