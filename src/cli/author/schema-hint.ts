import { readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

const SCHEMA = ['node_modules', 'hooklet', 'dist', 'schemas', 'scenario.schema.json'];

/**
 * The first line of a scenario file in `folder`, from which editors with yaml-language-server know its fields; `project`
 * is where hooklet is installed as a package.
 */
export function schemaHint(folder: string, project: string): string {
  const path = relative(folder, join(project, ...SCHEMA));
  return `# yaml-language-server: $schema=${path.split(sep).join('/')}\n`;
}

/** The nearest folder above which has hooklet among its packages, installed or not; undefined: none has. */
export function packageAbove(folder: string): string | undefined {
  for (let above = folder; ; above = dirname(above)) {
    if (needsHooklet(join(above, 'package.json'))) return above;
    if (dirname(above) === above) return undefined;
  }
}

const FIELDS = ['dependencies', 'devDependencies', 'optionalDependencies'];

function needsHooklet(file: string): boolean {
  try {
    const read: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const fields = Object.entries(read ?? {}).filter(([name]) => FIELDS.includes(name));
    return fields.some(([, packages]) => typeof packages === 'object' && packages !== null && 'hooklet' in packages);
  } catch {
    // There is none, or it is that of somebody else.
    return false;
  }
}
