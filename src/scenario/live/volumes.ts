import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Given } from '../world.ts';

/** Makes the volumes of a world below `folder`, and returns its environment with their place in it. */
export function openVolumes({ volumes = {}, env }: Given, folder: string): Readonly<Record<string, string>> {
  const dir = join(folder, 'volumes');
  for (const [name, files] of Object.entries(volumes)) {
    mkdirSync(join(dir, name), { recursive: true });
    for (const [file, text] of Object.entries(files)) writeFileSync(join(dir, name, file), text, { mode: 0o600 });
  }
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value.replaceAll('$(VOLUMES)', dir)]));
}
