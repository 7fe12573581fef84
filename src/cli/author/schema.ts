import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../errors.ts';
import { nearest } from '../../hook/nearest.ts';
import { shown } from '../../lib/shown.ts';
import { scenarioSchema } from '../../scenario/file/scenario-schema.ts';
import { shippedFolder } from '../program/shipped-folder.ts';

const SCHEMAS: Readonly<Record<string, () => string>> = {
  hook: () => readFileSync(join(shippedFolder('schemas'), 'hook-config.schema.json'), 'utf8'),
  // Made of the readers of scenarios.
  scenario: () => `${JSON.stringify(scenarioSchema(), undefined, 2)}\n`,
};

/** `hooklet schema`: the text of a JSON Schema; throws `UsageError` for an unknown one. */
export function schemaText(what: string): string {
  const names = Object.keys(SCHEMAS);
  const text = names.includes(what) ? SCHEMAS[what] : undefined;
  if (text !== undefined) return text();
  const meant = nearest(what, names);
  throw new UsageError(
    `schema: got ${shown(what)}, expected ${names.join(' or ')}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
  );
}
