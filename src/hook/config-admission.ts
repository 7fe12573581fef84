import type { AdmissionBinding, AdmissionRule, MatchCondition } from './ask-binding.ts';
import {
  inside,
  present,
  readFields,
  readFlag,
  readInteger,
  readLabel,
  readList,
  readText,
  readWord,
  report,
  reportValue,
  warn,
  type Fields,
  type Place,
  type Read,
} from './config-reader.ts';
import { shown } from '../lib/shown.ts';
import { readLabelSelector } from './config-selector.ts';
import { webhookPath } from './webhook-names.ts';

/** One entry of `kubernetesValidating` or `kubernetesMutating` as written, each field checked. */
export type AdmissionEntry = Fields<typeof SHAPE>;

const MAX_TIMEOUT_SECONDS = 30;
const DEFAULT_TIMEOUT_SECONDS = 10;
const MAX_CONDITIONS = 64;
const OPERATIONS = { CREATE: 'CREATE', UPDATE: 'UPDATE', DELETE: 'DELETE', CONNECT: 'CONNECT', '*': '*' } as const;

// DNS-1123 subdomain of at least three parts, as the API server wants it.
const WEBHOOK_NAME = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?){2,}$/;

const readWebhookName: Read<string> = (value, place) => {
  const name = readLabel(value, place);
  if (name === undefined || WEBHOOK_NAME.test(name)) return name;
  return reportValue(
    place,
    value,
    'a name that is a domain with at least three segments separated by dots, of small letters, digits and "-", such as pods.validate.example.com',
  );
};

const readTimeout: Read<number> = (value, place) => {
  const seconds = readInteger(value, place);
  if (seconds === undefined || (seconds >= 1 && seconds <= MAX_TIMEOUT_SECONDS)) return seconds;
  return reportValue(
    place,
    value,
    `a number of seconds from 1 to ${MAX_TIMEOUT_SECONDS}`,
    `the timeout value must be between 1 and ${MAX_TIMEOUT_SECONDS} seconds`,
  );
};

// An API server and shell-operator take what follows, and never call the webhook for it: a warning, since other values
// of the same rule may match.
const readGroup: Read<string> = (value, place) => {
  const group = readText(value, place);
  if (group === undefined) return undefined;
  const got = `got ${shown(group)}`;
  if (group.includes('/')) warn(place, `${got}, which matches nothing: expected the group alone, such as apps`);
  else if (VERSION.test(group)) warn(place, `${got}, which is a version: the core group is ""`);
  else if (group === 'core') warn(place, `${got}, which matches nothing: the core group is ""`);
  return group;
};

const readVersion: Read<string> = (value, place) => {
  const version = readText(value, place);
  if (version?.includes('/') === true) {
    warn(place, `got ${shown(version)}, which matches nothing: expected the version alone, such as v1`);
  }
  return version;
};

const readResource: Read<string> = (value, place) => {
  const resource = readText(value, place);
  if (resource !== undefined && /[A-Z]/.test(resource)) {
    const expected = 'expected the plural in small letters, such as pods';
    warn(place, `got ${shown(resource)}, which matches nothing: ${expected}`);
  }
  return resource;
};

const VERSION = /^v\d+(?:(?:alpha|beta)\d+)?$/;

const readRuleFields = readFields(
  {
    apiGroups: readList(readGroup, 1),
    apiVersions: readList(readVersion, 1),
    resources: readList(readResource, 1),
    operations: readList(readWord(OPERATIONS), 1),
    scope: readWord({ Cluster: 'Cluster', Namespaced: 'Namespaced', '*': '*' } as const),
  },
  {
    required: {
      apiGroups: 'a list such as ["apps"]',
      apiVersions: 'a list such as ["v1"]',
      resources: 'a list such as ["pods"]',
      operations: `a list of ${Object.keys(OPERATIONS).join(', ')}`,
    },
  },
);

const readRule: Read<AdmissionRule> = (value, place) => {
  const { apiGroups, apiVersions, resources, operations, scope = '*' } = readRuleFields(value, place);
  const isWhole =
    apiGroups !== undefined && apiVersions !== undefined && resources !== undefined && operations !== undefined;
  return isWhole ? { apiGroups, apiVersions, resources, operations, scope } : undefined;
};

const readConditionFields = readFields(
  { name: readLabel, expression: readText },
  { required: { name: 'a name', expression: 'a CEL expression' } },
);

const readCondition: Read<MatchCondition> = (value, place) => {
  const { name, expression } = readConditionFields(value, place);
  return name === undefined || expression === undefined ? undefined : { name, expression };
};

const readNamespaceFields = readFields({ labelSelector: readLabelSelector }, { isNonEmpty: true });

const SHAPE = {
  name: readWebhookName,
  rules: readList(readRule, 1),
  failurePolicy: readWord({ Ignore: 'Ignore', Fail: 'Fail' } as const),
  matchPolicy: readWord({ Exact: 'Exact', Equivalent: 'Equivalent' } as const),
  sideEffects: readWord({ None: 'None', NoneOnDryRun: 'NoneOnDryRun' } as const),
  timeoutSeconds: readTimeout,
  reinvocationPolicy: readWord({ Never: 'Never', IfNeeded: 'IfNeeded' } as const),
  matchConditions: readList(readCondition, 0, MAX_CONDITIONS),
  labelSelector: readLabelSelector,
  objectSelector: readLabelSelector,
  namespace: readNamespaceFields,
  namespaceSelector: readLabelSelector,
  matchOwnNamespace: readFlag,
  group: readLabel,
  includeSnapshotsFrom: readList(readText, 1),
};

const readEntryFields = readFields(SHAPE, {
  required: { name: 'a domain name such as pods.validate.example.com' },
});

/** Creates the reader of one entry of `kubernetesValidating` or `kubernetesMutating`. */
export function createAdmissionReader(type: AdmissionBinding['type']): Read<AdmissionEntry> {
  return (value, place) => {
    const entry = readEntryFields(value, place);
    checkTogether(entry, type, place);
    return entry;
  };
}

/** Fills in the defaults; `undefined` for an entry whose name is missing or wrong. */
export function toAdmissionBinding(
  type: AdmissionBinding['type'],
  entry: AdmissionEntry,
  snapshots: readonly string[],
): AdmissionBinding | undefined {
  const { name, labelSelector, namespace, ...written } = entry;
  if (name === undefined) return undefined;
  const { objectSelector = labelSelector, namespaceSelector = namespace?.labelSelector } = written;
  return {
    type,
    name,
    ...DEFAULTS,
    ...present({ ...written, objectSelector, namespaceSelector }),
    includeSnapshotsFrom: snapshots,
  };
}

const DEFAULTS = {
  rules: [],
  matchPolicy: 'Equivalent',
  sideEffects: 'None',
  timeoutSeconds: DEFAULT_TIMEOUT_SECONDS,
  matchConditions: [],
} as const;

/**
 * Reports webhooks of one hook that have the same name, or names with the same path: the API server calls a webhook by
 * its path.
 */
export function checkWebhookNames(
  lists: Readonly<Partial<Record<AdmissionBinding['type'], readonly AdmissionEntry[] | undefined>>>,
  place: Place,
): void {
  const taken = new Map<string, TakenName>();
  for (const [field, entries = []] of Object.entries(lists)) {
    for (const [index, { name }] of entries.entries()) {
      if (name === undefined) continue;
      const path = webhookPath(name);
      const at = inside(inside(place, field), index);
      const other = taken.get(path);
      if (other === undefined) taken.set(path, { name, at: `${field}[${index}]` });
      else report(inside(at, 'name'), takenText(name, other));
    }
  }
}

interface TakenName {
  readonly name: string;
  readonly at: string;
}

function takenText(name: string, { name: other, at }: TakenName): string {
  if (name === other) return `${at} has the name ${name} too; rename one`;
  return `${at} is called ${other}, which has the same path as ${name}; rename one`;
}

function checkTogether(entry: AdmissionEntry, type: AdmissionBinding['type'], place: Place): void {
  const { reinvocationPolicy, labelSelector, objectSelector, namespace, namespaceSelector } = entry;
  if (reinvocationPolicy !== undefined && type === 'kubernetesValidating') {
    report(inside(place, 'reinvocationPolicy'), 'has an effect only in kubernetesMutating');
  }
  if (labelSelector !== undefined && objectSelector !== undefined) {
    report(inside(place, 'objectSelector'), 'labelSelector is the same selector, expected one of the two');
  }
  if (namespace !== undefined && namespaceSelector !== undefined) {
    report(inside(place, 'namespaceSelector'), 'namespace.labelSelector is the same selector, expected one of the two');
  }
}
