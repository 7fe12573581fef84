import { globSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { examplesDir } from '../support/example-rig.ts';

const LANGUAGES = [
  { name: 'TypeScript', ending: '.ts' },
  { name: 'shell', ending: '.sh' },
  { name: 'jq', ending: '.jq' },
];

/** The lines of an example's own code, comments included; what it links to belongs to another. */
function linesOf(example: string, ending: string): number {
  const files = globSync(`{hooks,job}/**/*${ending}`, { cwd: example }).map((path) => join(example, path));
  const own = files.filter((path) => !lstatSync(path).isSymbolicLink());
  return own.reduce((sum, path) => sum + readFileSync(path, 'utf8').trimEnd().split('\n').length, 0);
}

it.each(['300-etcd', '310-backup', '320-sampledb', '330-static-website', '340-prometheus'])(
  'the README of %s says how many lines it has, with an error of a twentieth at most',
  (name) => {
    const example = join(examplesDir, name);
    const readme = readFileSync(join(example, 'README.md'), 'utf8');
    for (const language of LANGUAGES) {
      const lines = linesOf(example, language.ending);
      const said = new RegExp(`([\\d,]+) lines of ${language.name}\\b`).exec(readme)?.[1]?.replaceAll(',', '');
      if (lines === 0) continue;

      expect(Math.abs(Number(said) - lines) / lines, `${lines} lines of ${language.name}`).toBeLessThanOrEqual(0.05);
    }
  },
);
