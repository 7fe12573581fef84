import type { ServedKind } from './kind.ts';

const SUBDOMAIN_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

const LABEL_RULE =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

const SERVICE_RULE =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

const QUALIFIED_NAME_RULE =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

const TOO_MANY_PARTS_RULE =
  "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";

const LABEL_VALUE_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const QUALIFIED_NAME = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;

/** The rules that an object's name breaks. */
export function nameProblems(kind: ServedKind, name: string): readonly string[] {
  if (kind.group === 'rbac.authorization.k8s.io') return pathSegmentProblems(name);
  if (kind.collection === 'namespaces') return patternProblems(name, LABEL, LABEL_RULE, 63);
  if (kind.collection === 'services') return patternProblems(name, /^[a-z]([-a-z0-9]*[a-z0-9])?$/, SERVICE_RULE, 63);
  return patternProblems(name, SUBDOMAIN, SUBDOMAIN_RULE, 253);
}

function patternProblems(name: string, pattern: RegExp, rule: string, maxLength: number): readonly string[] {
  const problems: string[] = [];
  if (name.length > maxLength) problems.push(`must be no more than ${maxLength} characters`);
  if (!pattern.test(name)) problems.push(rule);
  return problems;
}

/** The rules that a name breaks that has to be a segment of a path. */
export function pathSegmentProblems(name: string): readonly string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%']
    .filter((character) => name.includes(character))
    .map((character) => `may not contain '${character}'`);
}

/** The rules that a label key, an annotation key or a finalizer breaks. */
export function qualifiedNameProblems(text: string): readonly string[] {
  const [name = '', prefix, ...more] = text.split('/').toReversed();
  if (more.length > 0) return [TOO_MANY_PARTS_RULE];
  const problems: string[] = [];
  if (prefix === '') problems.push('prefix part must be non-empty');
  else if (prefix !== undefined && !SUBDOMAIN.test(prefix)) problems.push(`prefix part ${SUBDOMAIN_RULE}`);
  if (name === '') problems.push('name part must be non-empty');
  else if (name.length > 63) problems.push('name part must be no more than 63 characters');
  if (!QUALIFIED_NAME.test(name)) problems.push(QUALIFIED_NAME_RULE);
  return problems;
}

/** The rules that a label's value breaks. */
export function labelValueProblems(value: string): readonly string[] {
  if (value === '') return [];
  return patternProblems(value, QUALIFIED_NAME, LABEL_VALUE_RULE, 63);
}

/** The rules that a DNS subdomain breaks. */
export function subdomainProblems(text: string): readonly string[] {
  return patternProblems(text, SUBDOMAIN, SUBDOMAIN_RULE, 253);
}

/** The rules that a DNS label breaks that has to begin with a letter. */
export function labelProblems(text: string): readonly string[] {
  return patternProblems(text, /^[a-z]([-a-z0-9]*[a-z0-9])?$/, SERVICE_RULE, 63);
}
