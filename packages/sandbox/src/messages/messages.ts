import { ACCESS } from './access.ts';
import { CORE } from './core.ts';
import { EXTENSION } from './extension.ts';
import { readField, type Field } from './field.ts';
import { INFRASTRUCTURE } from './infrastructure.ts';
import { META } from './meta.ts';
import { WORKLOADS } from './workloads.ts';

const lines = new Map<string, string>();
const read = new Map<string, readonly Field[]>();
const members = new Map<string, ReadonlyMap<string, Field>>();

for (const text of [CORE, META, WORKLOADS, ACCESS, EXTENSION, INFRASTRUCTURE]) {
  let home = '';
  for (const line of text.trim().split('\n')) {
    if (line.startsWith('# ')) home = line.slice(2);
    else lines.set(`${home}.${line.split(' ', 1).join('')}`, line);
  }
}

/** The full names of all messages. */
export function messageNames(): readonly string[] {
  return [...lines.keys()];
}

/** The fields of a message, such as `core/v1.Pod`; undefined if there is no message `name`. */
export function fieldsOf(name: string): readonly Field[] | undefined {
  const known = read.get(name);
  const line = lines.get(name);
  if (known !== undefined || line === undefined) return known;
  const home = name.slice(0, name.lastIndexOf('.'));
  const fields = line
    .split(' ')
    .slice(1)
    .map((text) => readField(text, home));
  read.set(name, fields);
  return fields;
}

/** The fields of a message by name, including those of embedded messages; none if there is no message. */
export function membersOf(message: string): ReadonlyMap<string, Field> {
  const found = members.get(message);
  if (found !== undefined) return found;
  const fields = (fieldsOf(message) ?? []).flatMap((field) =>
    field.name === '' ? [...membersOf(field.type).values()] : [field],
  );
  const made = new Map(fields.map((field) => [field.name, field]));
  members.set(message, made);
  return made;
}

/** The name of the message of a built-in kind; undefined if there is none. */
export function messageOfKind({
  group,
  version,
  kind,
}: {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}): string | undefined {
  const home = group === '' ? 'core' : group.split('.', 1).join('');
  // DeleteOptions are sent with the apiVersion of the object that is deleted.
  const names = [`${home}/${version}.${kind}`, `meta/v1.${kind}`];
  return names.find((name) => lines.has(name));
}
