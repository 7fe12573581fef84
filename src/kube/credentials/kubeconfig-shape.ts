import { CredentialsError } from '../../errors.ts';
import { shown, shownName } from '../../lib/shown.ts';
import { pathSegmentProblem } from '../../lib/path-segment.ts';
import { isObject } from '../../lib/json-object.ts';

/** Returns the problems of a value at `path`; they never repeat the value, because many values are secrets. */
type Check = (value: unknown, path: string) => readonly string[];

const text: Check = (value, path) => (typeof value === 'string' ? [] : [expected(path, 'a string', value)]);
const flag: Check = (value, path) => (typeof value === 'boolean' ? [] : [expected(path, 'true or false', value)]);
const anything: Check = () => [];

/** A namespace becomes a segment of request paths. */
const namespace: Check = (value, path) => {
  const problem = typeof value === 'string' && value !== '' ? pathSegmentProblem(value) : undefined;
  return problem === undefined ? text(value, path) : [`${path}: got ${shown(value)}, which ${problem}`];
};

function listOf(check: Check): Check {
  return (value, path) =>
    Array.isArray(value)
      ? value.flatMap((element: unknown, index) => check(element, `${path}[${index}]`))
      : [expected(path, 'a list', value)];
}

/** Other fields belong to other programs and are ignored; `null` counts as absent, as in Go. */
function fields(checks: Readonly<Record<string, Check>>): Check {
  return (value, path) => {
    if (!isObject(value)) return [expected(path, 'a mapping', value)];
    return Object.entries(checks).flatMap(([name, check]) => {
      const member = Object.hasOwn(value, name) ? value[name] : undefined;
      return member === undefined || member === null ? [] : check(member, path === '' ? name : `${path}.${name}`);
    });
  };
}

function mappingOf(check: Check): Check {
  return (value, path) =>
    isObject(value)
      ? Object.entries(value).flatMap(([key, member]) => check(member, `${path}.${shownName(key)}`))
      : [expected(path, 'a mapping', value)];
}

const checkKubeconfig = fields({
  'current-context': text,
  contexts: listOf(fields({ name: text, context: fields({ cluster: text, user: text, namespace }) })),
  clusters: listOf(
    fields({
      name: text,
      cluster: fields({
        server: text,
        'certificate-authority': text,
        'certificate-authority-data': text,
        'insecure-skip-tls-verify': flag,
        'tls-server-name': text,
        'proxy-url': text,
        extensions: listOf(fields({ name: text, extension: anything })),
      }),
    }),
  ),
  users: listOf(
    fields({
      name: text,
      user: fields({
        'client-certificate': text,
        'client-certificate-data': text,
        'client-key': text,
        'client-key-data': text,
        token: text,
        tokenFile: text,
        username: text,
        password: text,
        as: text,
        'as-uid': text,
        'as-groups': listOf(text),
        'as-user-extra': mappingOf(listOf(text)),
        'auth-provider': fields({ name: text, config: mappingOf(text) }),
        exec: fields({
          apiVersion: text,
          command: text,
          args: listOf(text),
          env: listOf(fields({ name: text, value: text })),
          installHint: text,
          interactiveMode: text,
          provideClusterInfo: flag,
        }),
      }),
    }),
  ),
});

const MAX_PROBLEMS = 20;

/**
 * Throws `CredentialsError` with the path of each field that has the wrong type, at most 20; never with a value, except
 * that of a bad namespace.
 */
export function requireKubeconfigShape(where: string, document: unknown): void {
  const problems = checkKubeconfig(document, '');
  if (problems.length === 0) return;
  throw new CredentialsError(`${where}: ${problems.slice(0, MAX_PROBLEMS).join('; ')}`);
}

function expected(path: string, what: string, value: unknown): string {
  return `${path === '' ? '' : `${path}: `}expected ${what}, got ${typeName(value)}`;
}

function typeName(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  return typeof value === 'string' ? 'a string' : `a ${typeof value}`;
}
