import { at, numberAt, objectAt, textAt, withAt } from '../json-fields.ts';
import type { JsonObject } from '../json.ts';
import { labelProblems, subdomainProblems } from '../object-names.ts';
import { invalidValue, requiredValue, type Cause } from '../status-error.ts';

/** Returns a `clientConfig` with the port of its service filled in. */
export function withClientConfigDefaults(clientConfig: JsonObject): JsonObject {
  if (at(clientConfig, 'service') === undefined || at(clientConfig, 'service', 'port') !== undefined)
    return clientConfig;
  return withAt(clientConfig, ['service', 'port'], 443);
}

/** Validates where a webhook is: exactly one of `url` and `service`. */
export function clientConfigCauses(clientConfig: JsonObject, field: string): readonly Cause[] {
  const [url, service] = [at(clientConfig, 'url'), at(clientConfig, 'service')];
  if ((url === undefined) === (service === undefined)) {
    return [requiredValue(field, 'exactly one of url or service is required')];
  }
  if (typeof url === 'string') return urlCauses(url, `${field}.url`);
  return serviceCauses(objectAt(clientConfig, 'service'), `${field}.service`);
}

const FORMAT = 'desired format: https://host[/path]';

function urlCauses(text: string, field: string): readonly Cause[] {
  if (/%(?![0-9a-fA-F]{2})/.test(text)) {
    const escape = /%.{0,2}/.exec(text)?.[0] ?? '';
    const problem = `parse ${JSON.stringify(text)}: invalid URL escape ${JSON.stringify(escape)}`;
    return [requiredValue(field, `url must be a valid URL: ${problem}; ${FORMAT}`)];
  }
  const parts =
    /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/(?:([^/?#@]*)@)?([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/.exec(text);
  const [scheme = '', user = '', host = '', query = '', fragment = ''] = (parts ?? []).slice(1);
  return partCauses({ scheme, user, host, query, fragment }, field);
}

function partCauses(
  { scheme, user, host, query, fragment }: Readonly<Record<'scheme' | 'user' | 'host' | 'query' | 'fragment', string>>,
  field: string,
): readonly Cause[] {
  const causes: Cause[] = [];
  if (scheme !== 'https') causes.push(invalidValue(field, scheme, `'https' is the only allowed URL scheme; ${FORMAT}`));
  if (host === '') causes.push(invalidValue(field, '', `host must be specified; ${FORMAT}`));
  if (user !== '') causes.push(invalidValue(field, user, 'user information is not permitted in the URL'));
  if (fragment !== '') causes.push(invalidValue(field, fragment, 'fragments are not permitted in the URL'));
  if (query !== '') causes.push(invalidValue(field, query, 'query parameters are not permitted in the URL'));
  return causes;
}

function serviceCauses(service: JsonObject, field: string): readonly Cause[] {
  const port = numberAt(service, 'port') ?? 443;
  const valid = Number.isInteger(port) && port >= 1 && port <= 65_535;
  const rule = 'port is not valid: must be between 1 and 65535, inclusive';
  return [
    ...(textAt(service, 'name') === '' ? [requiredValue(`${field}.name`)] : []),
    ...(textAt(service, 'namespace') === '' ? [requiredValue(`${field}.namespace`)] : []),
    ...(valid ? [] : [invalidValue(`${field}.port`, port, rule)]),
    ...pathCauses(textAt(service, 'path'), `${field}.path`),
  ];
}

function pathCauses(path: string, field: string): readonly Cause[] {
  if (path === '' || path === '/') return [];
  const cause = (rule: string): Cause => invalidValue(field, path, rule);
  if (path === '//') return [cause('segment[0] may not be empty')];
  const causes = path.startsWith('/') ? [] : [cause("must start with a '/'")];
  const segments = path.slice(1).split('/');
  if (segments.length > 1 && segments.at(-1) === '') segments.pop();
  return [
    ...causes,
    ...segments.flatMap((segment, index) =>
      segment === ''
        ? [cause(`segment[${index}] may not be empty`)]
        : subdomainProblems(segment).map((problem) => cause(`segment[${index}]: ${problem}`)),
    ),
  ];
}

const KNOWN_VERSIONS = ['v1', 'v1beta1'];

/** Validates the versions of the review that a webhook understands. */
export function reviewVersionCauses(versions: readonly string[], field: string): readonly Cause[] {
  const causes = versions.flatMap((version, index) =>
    versions.indexOf(version) < index
      ? [invalidValue(`${field}[${index}]`, version, 'duplicate version')]
      : labelProblems(version).map((problem) => invalidValue(`${field}[${index}]`, version, problem)),
  );
  if (versions.some((version) => KNOWN_VERSIONS.includes(version))) return causes;
  return [...causes, invalidValue(field, [...versions], `must include at least one of ${KNOWN_VERSIONS.join(', ')}`)];
}
