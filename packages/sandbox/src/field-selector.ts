import { at } from './json-fields.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { ServedKind } from './kind.ts';
import { badRequest } from './status-error.ts';

/** Parses the query form of a field selector; throws the server's 400 if the kind does not support a field. */
export function parseFieldSelector(kind: ServedKind, text: string): (object: JsonObject) => boolean {
  const terms = splitTerms(text).map(parseTerm);
  for (const term of terms) checkField(kind, term.field);
  return (object) => terms.every((term) => (fieldText(object, term.field) === term.value) === term.equal);
}

interface Term {
  readonly field: string;
  readonly equal: boolean;
  readonly value: string;
}

function splitTerms(text: string): readonly string[] {
  return text.split(/(?<!\\),/).filter((term) => term !== '');
}

function parseTerm(term: string): Term {
  const match = /^(.*?)(!=|==|=)(.*)$/s.exec(term);
  if (match === null) throw badRequest(`invalid selector: '${term}'; can't understand '${term}'`);
  const [, field = '', operator = '', value = ''] = match;
  return { field, equal: operator !== '!=', value: value.replaceAll(/\\([\\,=])/g, '$1') };
}

const METADATA_FIELDS = ['metadata.name', 'metadata.namespace'];

const POD_FIELDS = [
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.schedulerName',
  'spec.serviceAccountName',
  'spec.hostNetwork',
  'status.phase',
  'status.podIP',
  'status.nominatedNodeName',
];

const INVOLVED_OBJECT_FIELDS = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];

// The additional selectable fields of a kind. The message that refuses another field of such a kind does not list the
// supported ones.
const OWN_FIELDS: { readonly [collection: string]: readonly string[] } = {
  pods: POD_FIELDS,
  secrets: ['type'],
  nodes: ['spec.unschedulable'],
  namespaces: ['status.phase'],
  replicationcontrollers: ['status.replicas'],
  services: ['spec.clusterIP', 'spec.type'],
  'jobs.batch': ['status.successful'],
  'certificatesigningrequests.certificates.k8s.io': ['spec.signerName'],
  events: [
    ...INVOLVED_OBJECT_FIELDS.flatMap((field) => [`involvedObject.${field}`, `regarding.${field}`]),
    'reason',
    'reportingComponent',
    'reportingController',
    'source',
    'type',
  ],
};

function checkField(kind: ServedKind, field: string): void {
  if (METADATA_FIELDS.includes(field)) return;
  const own = kind.custom === undefined ? OWN_FIELDS[kind.collection] : kind.custom.selectableFields;
  if (own?.includes(field) === true) return;
  if (kind.collection === 'jobs.batch') throw badRequest(`field label "${field}" not supported for Job`);
  if (own !== undefined) throw badRequest(`field label not supported: ${field}`);
  throw badRequest(`"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`);
}

const ALIASES: { readonly [prefix: string]: string } = {
  regarding: 'involvedObject',
  reportingController: 'reportingComponent',
};

function fieldText(object: JsonObject, field: string): string {
  const [first = '', ...rest] = field.split('.');
  const step = ALIASES[first] ?? first;
  if (field === 'source') return printed(at(object, 'source', 'component') ?? at(object, 'reportingComponent'));
  const value = at(object, step, ...rest);
  if (value === undefined && BOOLEAN_FIELDS.has(field)) return 'false';
  if (value === undefined && NUMBER_FIELDS.has(field)) return '0';
  return printed(value);
}

const BOOLEAN_FIELDS = new Set(['spec.unschedulable', 'spec.hostNetwork']);
const NUMBER_FIELDS = new Set(['status.replicas', 'status.successful']);

function printed(value: JsonValue | undefined): string {
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value);
}
