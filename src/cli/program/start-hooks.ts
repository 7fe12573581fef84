import { startSpawnerChild } from '../../runner/spawner-child.ts';
import type { Flags } from '../options/resolve.ts';

/** `hooklet start`: resolves to the exit code. */
export async function startHooks({ logType, ...flags }: Flags): Promise<number> {
  // The spawner process starts while the rest is loaded.
  const spawner = startSpawnerChild(process.env);
  try {
    const { start } = await import('../start.ts');
    return await start(logType === undefined ? flags : { logFormat: logType, ...flags }, spawner);
  } finally {
    spawner.channel?.end();
  }
}
