import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { UsageError } from '../../errors.ts';
import { nearest } from '../../hook/nearest.ts';
import { shown } from '../../lib/shown.ts';
import { schemaHint } from './schema-hint.ts';
import type { NewFile } from './new-files.ts';
import { shippedFolder } from '../program/shipped-folder.ts';

/** What `hooklet init` can make. */
export const TEMPLATES = ['shell', 'typescript', 'python', 'operator', 'backup', 'webhook'] as const;

export type TemplateName = (typeof TEMPLATES)[number];

/** The name of the template that is meant; throws `UsageError` for an unknown one. */
export function templateNamed(given: string): TemplateName {
  const found = TEMPLATES.find((name) => name === given);
  if (found !== undefined) return found;
  const meant = nearest(given, TEMPLATES);
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  throw new UsageError(`--template: got ${shown(given)}, expected one of ${TEMPLATES.join(', ')}${hint}`);
}

/** What is put into the files of a template. */
export interface Project {
  /** A DNS label: of the namespace, the Deployment and the image. */
  readonly name: string;
  /** That of hooklet. */
  readonly version: string;
}

/**
 * The files of a template: those that all have, those of its language, and its own, which replace them. In the
 * repository a project is called `my-hooks` and its hooklet `0.0.0`; npm would not pack some names as they are, which
 * begin with `_`.
 */
export function templateFiles(template: TemplateName, project: Project): readonly NewFile[] {
  const root = shippedFolder('templates');
  const layers = ['common', ...LAYERS[template], template].map((layer) => filesOf(join(root, layer)));
  const files = new Map(layers.flat().map(({ path, text }) => [path, text]));
  // The package has the schema; a project without one has hooklet from elsewhere.
  const hint = files.has('package.json') ? schemaHint('scenarios', '.') : '';
  return [...files]
    .map(([path, text]) => ({ path, text: filledIn(path.startsWith('scenarios/') ? hint + text : text, project) }))
    .toSorted((left, right) => (left.path < right.path ? -1 : 1));
}

const LAYERS: Readonly<Record<TemplateName, readonly string[]>> = {
  shell: ['services'],
  python: ['services'],
  typescript: ['services', 'typed'],
  operator: ['typed'],
  webhook: ['typed'],
  backup: [],
};

function filesOf(folder: string): readonly NewFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => {
      const path = relative(folder, join(parentPath, name)).split(sep).join('/');
      return { path: plainPath(path), text: readFileSync(join(parentPath, name), 'utf8') };
    });
}

/** `_gitignore` becomes `.gitignore`, and `_package.json` `package.json`. */
function plainPath(path: string): string {
  return path.replace(/(^|\/)_([^/]*\.json)$/, '$1$2').replaceAll(/(^|\/)_/g, '$1.');
}

function filledIn(text: string, { name, version }: Project): string {
  return text.replaceAll('my-hooks', name).replaceAll('0.0.0', version);
}
