import { stringify } from 'yaml';
import { sortedJson } from '../../effects/children/canonical.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Objects as YAML documents, the keys sorted. */
export function objectsYaml(objects: readonly Fields[]): string {
  return objects.map(objectYaml).join('---\n');
}

/** One object as YAML, the keys sorted as kubectl does. */
export function objectYaml(object: Fields): string {
  return stringify(object, { sortMapEntries: true, lineWidth: 0, aliasDuplicateObjects: false });
}

/** Objects as a JSON list that kubectl and `--owned` take, the keys sorted. */
export function objectsJson(objects: readonly Fields[]): string {
  const list: unknown = JSON.parse(sortedJson({ apiVersion: 'v1', kind: 'List', items: objects }));
  return `${JSON.stringify(list, undefined, 2)}\n`;
}
