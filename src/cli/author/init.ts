import { basename, join, resolve } from 'node:path';
import { UsageError } from '../../errors.ts';
import { dnsLabel } from '../../lib/dns-label.ts';
import { shellWord } from '../../lib/shell-word.ts';
import { version } from '../program/version.ts';
import { writeNewFiles } from './new-files.ts';
import { templateFiles, templateNamed } from './templates.ts';

export interface InitFlags {
  readonly template?: string;
}

/** `hooklet init`: makes the files of a project, and returns what to print. Throws `UsageError`. */
export function initProject(dir: string | undefined, { template: given = 'shell' }: InitFlags): string {
  const template = templateNamed(given);
  checkFolder(dir);
  const folder = resolve(dir ?? '.');
  const name = projectName(folder);
  const written = writeNewFiles(folder, templateFiles(template, { name, version }), 'init');
  const made = written.map((path) => `  ${path}\n`).join('');
  const where = dir === undefined ? '.' : dir;
  if (written.length === 0) return `${where} has all files of the template ${template} already\n`;
  return `${name}, from the template ${template}, in ${where}:\n${made}\n${nextSteps(dir, written.includes('package.json'))}`;
}

// Control characters, line breaks, and what changes the direction of text: they could be anything on a terminal.
const UNPRINTABLE = /[\p{Control}\p{Bidi_Control}\u2028\u2029\p{Surrogate}]/v;

function checkFolder(dir: string | undefined): void {
  if (dir === '') throw new UsageError('init: got an empty name of a folder, expected one such as my-hooks');
  if (dir === undefined || !UNPRINTABLE.test(dir)) return;
  throw new UsageError(
    `init: got the folder ${JSON.stringify(dir)}, expected a name without line breaks and control characters, such as my-hooks; nothing was written`,
  );
}

function nextSteps(dir: string | undefined, hasPackage: boolean): string {
  const enter = dir === undefined ? '' : `  cd ${shellWord(dir)}\n`;
  const install = hasPackage ? '  npm install            the types, for the editor and tsc\n' : '';
  return `Next:
${enter}${install}  hooklet check hooks    find mistakes
  hooklet test           run the scenarios
  hooklet dev            run the hooks against a Kubernetes API server in memory

${join('.', 'README.md')} has the rest.
`;
}

const MAX_LABEL = 50;

/** A DNS label made of the name of a folder; it begins with a letter. */
export function projectName(folder: string): string {
  const label = dnsLabel(basename(folder), MAX_LABEL).replace(/^[^a-z]+/, '');
  return label === '' ? 'my-hooks' : label;
}
