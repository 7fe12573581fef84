import type { JsonObject, JsonValue } from '../json.ts';
import { isJsonArray, isJsonObject } from '../json.ts';
import { childPath, printElement, printPath } from './field-set.ts';
import { metadataOf } from './managed-fields.ts';
import { itemElement, membersOf } from './object-fields.ts';
import type { PatchKind } from './ownership.ts';
import { internal } from './patch-refused.ts';
import type { ListTopology, Topology } from './topology.ts';

/** Refuses an applied object that its schema cannot merge: unknown fields, items without or with the same key. */
export function checkApplied(applied: JsonObject, topology: Topology, kind: PatchKind): void {
  const problems = problemsOf(applied, topology, '');
  if (problems.length === 0) return;
  const { namespace = '', name = '' } = metadataOf(applied);
  const type = `${kind.group}/${kind.version}, Kind=${kind.kind}`;
  const text = problems.length === 1 ? problems[0] : `errors:\n${problems.map((line) => `  ${line}`).join('\n')}`;
  throw internal(`failed to create typed patch object (${printed(namespace)}/${printed(name)}; ${type}): ${text}`);
}

function printed(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function problemsOf(value: JsonValue, topology: Topology, path: string): readonly string[] {
  if (value === null) return [];
  if (topology.type === 'object' && isJsonObject(value)) {
    return membersOf(value, topology).flatMap((member) => {
      const below = childPath(path, member.element);
      const isForbidden = topology.others === 'forbidden' && member.isItem && topology.element === undefined;
      if (isForbidden) return [`${printPath(below)}: field not declared in schema`];
      return problemsOf(member.value, member.topology, below);
    });
  }
  if (topology.type === 'list') return listProblems(value, topology, path);
  if (topology.type === 'object' && topology.others !== 'struct') {
    return [`${printPath(path)}: expected map, got &{${JSON.stringify(value)}}`];
  }
  return [];
}

function listProblems(value: JsonValue, list: ListTopology, path: string): readonly string[] {
  if (!isJsonArray(value)) return [`${printPath(path)}: expected list, got &{${JSON.stringify(value)}}`];
  if (list.relation === 'atomic') return [];
  const seen = new Set<string>();
  return value.flatMap((item, index) => {
    const element = itemElement(item, list);
    if (element === undefined) return [`${printPath(path)}: element ${index}: ${missingKey(item, list)}`];
    if (seen.has(element)) return [`${printPath(path)}: duplicate entries for key ${printElement(element)}`];
    seen.add(element);
    return problemsOf(item, list.element, childPath(path, element));
  });
}

function missingKey(item: JsonValue, list: ListTopology): string {
  if (!isJsonObject(item)) return 'associative list with keys may not have non-map elements';
  const missing = list.keys.find((key) => item[key] === undefined && list.keyDefaults[key] === undefined) ?? '';
  const reason = `key field ${JSON.stringify(missing)} (and doesn't have default value)`;
  return `associative list with keys has an element that omits ${reason}`;
}
