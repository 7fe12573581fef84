import type { ConversionBinding, ConversionRule } from './ask-binding.ts';
import {
  present,
  readFields,
  readLabel,
  readList,
  readName,
  readText,
  type Fields,
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
  return fromVersion === undefined || toVersion === undefined ? undefined : { fromVersion, toVersion };
};

const SHAPE = {
  name: readLabel,
  crdName: readName,
  conversions: readList(readRule, 1),
  group: readLabel,
  includeSnapshotsFrom: readList(readText, 1),
};

/** Reads one entry of `kubernetesCustomResourceConversion`. */
export const readConversionEntry: Read<ConversionEntry> = readFields(SHAPE, {
  required: {
    name: 'a name',
    crdName: 'the name of a CustomResourceDefinition such as crontabs.stable.example.com',
    conversions: 'a list of fromVersion and toVersion',
  },
});

/** Fills in the defaults; `undefined` for an entry that has not all that it needs. */
export function toConversionBinding(
  { name, crdName, conversions, group }: ConversionEntry,
  snapshots: readonly string[],
): ConversionBinding | undefined {
  if (name === undefined || crdName === undefined || conversions === undefined) return undefined;
  const type = 'kubernetesCustomResourceConversion';
  return { type, name, crdName, conversions, includeSnapshotsFrom: snapshots, ...present({ group }) };
}
