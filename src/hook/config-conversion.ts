import type { ConversionBinding, ConversionRule } from './ask-binding.ts';
import { shown } from '../lib/shown.ts';
import {
  inside,
  present,
  readFields,
  readLabel,
  readList,
  readName,
  readText,
  warn,
  type Fields,
  type Place,
  type Read,
} from './config-reader.ts';
import { readApiVersion } from './config-kubernetes.ts';

/** One entry of `kubernetesCustomResourceConversion` as written, each field checked. */
export type ConversionEntry = Fields<typeof SHAPE>;

const readRuleFields = readFields(
  { fromVersion: readApiVersion, toVersion: readApiVersion },
  { required: { fromVersion: 'a version such as v1alpha1', toVersion: 'a version such as v1' } },
);

const readRule: Read<ConversionRule> = (value, place) => {
  const { fromVersion, toVersion } = readRuleFields(value, place);
  if (fromVersion === undefined || toVersion === undefined) return undefined;
  if (fromVersion === toVersion) warn(place, `converts ${shown(fromVersion)} to itself, which is never asked`);
  return { fromVersion, toVersion };
};

const SHAPE = {
  name: readLabel,
  crdName: readName,
  conversions: readList(readRule, 1),
  group: readLabel,
  includeSnapshotsFrom: readList(readText, 1),
};

const readEntryFields = readFields(SHAPE, {
  required: {
    name: 'a name',
    crdName: 'the name of a CustomResourceDefinition such as crontabs.stable.example.com',
    conversions: 'a list of fromVersion and toVersion',
  },
});

/** Reads one entry of `kubernetesCustomResourceConversion`. */
export const readConversionEntry: Read<ConversionEntry> = (value, place) => {
  const entry = readEntryFields(value, place);
  warnOfName(entry, place);
  return entry;
};

/** Shell-operator takes such names, and an API server has no such definitions. */
function warnOfName({ crdName, conversions = [] }: ConversionEntry, place: Place): void {
  if (crdName === undefined) return;
  const [plural = '', ...rest] = crdName.split('.');
  const group = rest.join('.');
  if (group === '' || plural === '' || /[A-Z]/.test(crdName)) {
    const expected = 'expected the plural and the group in small letters, such as crontabs.stable.example.com';
    warn(inside(place, 'crdName'), `got ${shown(crdName)}, which no CustomResourceDefinition is called: ${expected}`);
    return;
  }
  warnOfGroups(conversions, group, inside(place, 'conversions'));
}

function warnOfGroups(conversions: readonly ConversionRule[], group: string, place: Place): void {
  for (const [index, rule] of conversions.entries()) {
    for (const field of ['fromVersion', 'toVersion'] as const) {
      const [given, version] = rule[field].split('/', 2);
      if (version === undefined || given === group) continue;
      const at = inside(inside(place, index), field);
      warn(at, `got ${shown(rule[field])}, whose group is not ${shown(group)}, as in crdName: it is never asked`);
    }
  }
}

/** Fills in the defaults; `undefined` for an entry that has not all that it needs. */
export function toConversionBinding(
  { name, crdName, conversions, group }: ConversionEntry,
  snapshots: readonly string[],
): ConversionBinding | undefined {
  if (name === undefined || crdName === undefined || conversions === undefined) return undefined;
  const type = 'kubernetesCustomResourceConversion';
  return { type, name, crdName, conversions, includeSnapshotsFrom: snapshots, ...present({ group }) };
}
