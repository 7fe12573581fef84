import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const README = fileURLToPath(new URL('../../../solutions/backup/README.md', import.meta.url));

/** The arguments of a program in a section of the README, command by command, as bash parses them. */
export async function readmeCommands(section: string, program: string): Promise<readonly (readonly string[])[]> {
  const [, text = ''] = readFileSync(README, 'utf8').split(`\n## ${section}\n`);
  const [own = ''] = text.split('\n## ');
  const blocks = [...own.matchAll(/^```shell\n([^]*?)^```$/gm)].map(([, block = '']) => block);
  const script = blocks.filter((block) => block.startsWith(`${program} `)).join('');
  const print = `${program}() { '${process.execPath}' -p 'JSON.stringify(process.argv.slice(1))' -- "$@"; }`;
  const { stdout } = await promisify(execFile)('bash', ['-c', `set -eu; ${print}\n${script}`]);
  return stdout
    .trim()
    .split('\n')
    .map((line): readonly string[] => JSON.parse(line));
}
