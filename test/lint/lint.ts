import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import oxlintConfig from '../../oxlint.config.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

/** What the linter says of `files`, path to code, a line for each thing it refuses; without the rules that need types. */
export function lint(files: Readonly<Record<string, string>>): readonly string[] {
  using folder = temporaryFolder();
  // What knows types looks for its program beside the files.
  const { options: _, ...config } = oxlintConfig;
  writeFileSync(join(folder.path, '.oxlintrc.json'), JSON.stringify(config));
  for (const [file, code] of Object.entries(files)) {
    mkdirSync(dirname(join(folder.path, file)), { recursive: true });
    writeFileSync(join(folder.path, file), `${code}\n`);
  }
  const { stdout } = spawnSync(resolve('node_modules/.bin/oxlint'), ['--format', 'unix'], {
    cwd: folder.path,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout.split('\n');
}
