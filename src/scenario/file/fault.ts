import { FAULT_TYPES, type Fault } from '@hooklet/sandbox';
import { inside, type Place, report, reportValue } from '../../hook/config-reader.ts';
import { nearest } from '../../hook/nearest.ts';
import { shown } from '../../lib/shown.ts';
import { isObject } from '../../lib/json-object.ts';
import { derived, type Field, type FieldMap, flag, mapping, text, whole } from './field.ts';

const COUNT = whole(1, 1_000_000);
const CODE = whole(400, 599);

const MATCHER: FieldMap = { method: text, path: text, pattern: text, watch: flag, times: COUNT };

/** The fields of each type besides those that say which requests it strikes; those marked with ! must be there. */
const FIELDS: Readonly<Record<Fault['type'], FieldMap>> = {
  hangUp: { afterBytes: whole(0, 1_000_000_000) },
  silence: {},
  status: { 'code!': CODE, message: text, retryAfterSeconds: whole(0, 86_400) },
  delay: { 'delayMs!': whole(1, 86_400_000) },
  staleList: { 'resourceVersion!': text },
  truncate: { 'afterBytes!': whole(0, 1_000_000_000) },
  watchError: { 'code!': CODE, message: text },
  noBookmarks: {},
  brokenLine: {},
  cutLine: {},
  duplicate: { 'copies!': whole(2, 100) },
};

const TYPES = new Map(FAULT_TYPES.map((type) => [type as string, faultOf(type)]));

/** A fault in the form that the sandbox takes. */
export const fault: Field<Fault> = {
  read: (value, place) => {
    if (!isObject(value)) return reportValue(place, value, 'a mapping with a type, or none');
    const { type } = value;
    const field = typeof type === 'string' ? TYPES.get(type) : undefined;
    return field === undefined ? unknownType(type, inside(place, 'type')) : field.read(value, place);
  },
  schema: { anyOf: [...TYPES.values()].map(({ schema }) => schema) },
};

function unknownType(type: unknown, place: Place): undefined {
  const meant = typeof type === 'string' ? nearest(type, FAULT_TYPES) : undefined;
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  return report(place, `got ${shown(type)}, expected one of ${FAULT_TYPES.join(', ')}${hint}`);
}

function faultOf(type: Fault['type']): Field<Fault> {
  const own = Object.entries(FIELDS[type]);
  const fields = Object.fromEntries(own.map(([key, field]) => [key.replace('!', ''), field]));
  const needed = own.filter(([key]) => key.endsWith('!')).map(([key]) => [key.slice(0, -1), 'a value'] as const);
  const typeField: Field<unknown> = { read: () => type, schema: { const: type } };
  const whole = mapping({ type: typeField, ...MATCHER, ...fields }, { type: 'a type', ...Object.fromEntries(needed) });
  return derived(whole, (values, place) => {
    const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
    const problem = patternProblem(given['pattern']);
    // The shape above has the fields of this type alone.
    return problem === undefined ? (given as unknown as Fault) : report(inside(place, 'pattern'), problem);
  });
}

function patternProblem(pattern: unknown): string | undefined {
  if (typeof pattern !== 'string') return undefined;
  try {
    RegExp(pattern);
    return undefined;
  } catch (error) {
    return `got ${shown(pattern)}, which is no regular expression: ${error instanceof Error ? error.message : ''}`;
  }
}
