import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A shell hook with this config that runs `body`. */
export function shellHook(config: unknown, body = ''): string {
  return `#!/bin/sh
if [ "\${1:-}" = --config ]; then
cat <<'CONFIG'
${JSON.stringify(config)}
CONFIG
exit
fi
${body}
`;
}

/** Writes executables into a folder, and returns it. */
export function writeHooks(folder: string, hooks: Readonly<Record<string, string>>): string {
  for (const [name, text] of Object.entries(hooks)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode: 0o755 });
  }
  return folder;
}
