import { textAt } from './json-fields.ts';
import type { JsonObject } from './json.ts';
import { labelsOf } from './object-meta.ts';
import { labelValueProblems, qualifiedNameProblems } from './object-names.ts';
import { badRequest, type StatusError } from './status-error.ts';

/** One condition on the labels of an object. */
interface Requirement {
  readonly key: string;
  readonly operator: 'in' | 'notin' | 'exists' | 'absent' | 'gt' | 'lt';
  readonly values: readonly string[];
}

/** Parses the query form of a label selector; throws the server's 400 if it is malformed. */
export function parseLabelSelector(text: string): (object: JsonObject) => boolean {
  const requirements = parseRequirements(tokens(text));
  return (object) => requirements.every((requirement) => holds(requirement, labelsOf(object)));
}

function holds({ key, operator, values }: Requirement, labels: JsonObject): boolean {
  const isPresent = Object.hasOwn(labels, key);
  switch (operator) {
    case 'exists':
      return isPresent;
    case 'absent':
      return !isPresent;
    case 'in':
      return isPresent && values.includes(textAt(labels, key));
    case 'notin':
      return !isPresent || !values.includes(textAt(labels, key));
    case 'gt':
      return Number.parseInt(textAt(labels, key), 10) > Number(values[0]);
    case 'lt':
      return Number.parseInt(textAt(labels, key), 10) < Number(values[0]);
  }
}

function tokens(text: string): string[] {
  return text.match(/==|!=|[=!<>(),]|[^\s=!<>(),]+/g) ?? [];
}

function parseRequirements(queue: string[]): readonly Requirement[] {
  const requirements: Requirement[] = [];
  while (queue.length > 0) {
    requirements.push(parseRequirement(queue));
    const separator = queue.shift();
    if (separator === undefined) break;
    if (separator !== ',') throw badRequest(`found '${separator}', expected: ',' or 'end of string'`);
    if (!isIdentifier(queue[0]) && queue[0] !== '!') {
      throw badRequest(`found '${queue[0] ?? ''}', expected: identifier after ','`);
    }
  }
  return requirements;
}

function parseRequirement(queue: string[]): Requirement {
  const negated = queue[0] === '!';
  if (negated) queue.shift();
  const key = queue.shift() ?? '';
  if (key === '' || !isIdentifier(key)) throw unexpectedKey(key, negated);
  checkKey(key);
  if (negated) return { key, operator: 'absent', values: [] };
  if (queue.length === 0 || queue[0] === ',') return { key, operator: 'exists', values: [] };
  return parseComparison(key, queue.shift() ?? '', queue);
}

function unexpectedKey(found: string, negated: boolean): StatusError {
  if (negated) return badRequest(`unable to parse requirement: found '${found}', expected: identifier`);
  return badRequest(`found '${found}', expected: !, identifier, or 'end of string'`);
}

function parseComparison(key: string, operator: string, queue: string[]): Requirement {
  switch (operator) {
    case '=':
    case '==':
      return { key, operator: 'in', values: [checkedValue(key, parseExactValue(queue))] };
    case '!=':
      return { key, operator: 'notin', values: [checkedValue(key, parseExactValue(queue))] };
    case 'in':
    case 'notin':
      return { key, operator, values: parseValues(queue).map((value) => checkedValue(key, value)) };
    case '>':
    case '<':
      return { key, operator: operator === '>' ? 'gt' : 'lt', values: [parseInteger(queue)] };
    default:
      throw badRequest(`unable to parse requirement: found '${operator}', expected: in, notin, =, ==, !=, gt, lt`);
  }
}

function parseExactValue(queue: string[]): string {
  if (queue.length === 0 || queue[0] === ',') return '';
  const value = queue.shift() ?? '';
  if (!isIdentifier(value)) throw badRequest(`unable to parse requirement: found '${value}', expected: identifier`);
  return value;
}

function parseInteger(queue: string[]): string {
  const value = parseExactValue(queue);
  if (/^[+-]?\d+$/.test(value)) return value;
  throw badRequest(
    `unable to parse requirement: values[0]: Invalid value: ${JSON.stringify(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
  );
}

function parseValues(queue: string[]): readonly string[] {
  const open = queue.shift() ?? '';
  if (open !== '(') throw badRequest(`unable to parse requirement: found '${open}' expected: '('`);
  const end = queue.indexOf(')');
  const inside = queue.splice(0, end < 0 ? queue.length : end + 1);
  const values = [''];
  for (const token of inside.slice(0, -1)) {
    if (token === ',') values.push('');
    else if (isIdentifier(token) && values.at(-1) === '') values.splice(-1, 1, token);
    else throw badRequest(`unable to parse requirement: found '${token}', expected: ',' or ')'`);
  }
  if (end < 0) throw badRequest("unable to parse requirement: found '', expected: ',' or ')'");
  return values;
}

function isIdentifier(token: string | undefined): boolean {
  return token !== undefined && !/^(?:==|!=|[=!<>(),])$/.test(token);
}

function checkKey(key: string): void {
  const [problem] = qualifiedNameProblems(key);
  if (problem === undefined) return;
  throw badRequest(`unable to parse requirement: <nil>: Invalid value: ${JSON.stringify(key)}: ${problem}`);
}

function checkedValue(key: string, value: string): string {
  const [problem] = labelValueProblems(value);
  if (problem === undefined) return value;
  throw badRequest(
    `unable to parse requirement: values[0][${key}]: Invalid value: ${JSON.stringify(value)}: ${problem}`,
  );
}
