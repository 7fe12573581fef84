/** One request for objects, as recorded in the audit log of the API server. */
export interface AuditEntry {
  /** `admin`, or `system:serviceaccount:<namespace>:<name>`. */
  readonly user: string;
  readonly verb: string;
  /** Empty for the core group. */
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** Empty for a collection. */
  readonly name: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly code: number;
}

/** A rule of a Role or ClusterRole. */
export interface RoleRule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** Reads the audit log of an API server; only the last stage of each request counts. */
export function readAuditLog(text: string): readonly AuditEntry[] {
  const requests = new Map<string, AuditEntry>();
  for (const line of text.split('\n')) {
    const event = parseEvent(line);
    if (event?.objectRef !== undefined) requests.set(event.auditID, entryOf(event, event.objectRef));
  }
  return [...requests.values()];
}

/** The user name of a ServiceAccount. */
export function serviceAccountUser(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** The requests of the user that were refused, as `verb resource namespace/name`. */
export function forbiddenRequests(entries: readonly AuditEntry[], user: string): readonly string[] {
  const refused = entries.filter((entry) => entry.user === user && entry.code === 403);
  return unique(refused.map(({ namespace, name, ...entry }) => `${rightOf(entry)} ${namespace}/${name}`));
}

/**
 * The rights that the rules grant and that no request of the user has used, as `verb resource.group [name]`. A watch
 * may begin with the present objects in place of a list, so one of `list` and `watch` on the same resource is enough.
 * An apply that makes an object needs `create` too, of whatever name.
 */
export function unusedRules(
  rules: readonly RoleRule[],
  entries: readonly AuditEntry[],
  user: string,
): readonly string[] {
  const granted = entries.filter((entry) => entry.user === user && entry.code !== 403);
  return unique(
    rules
      .flatMap(rightsIn)
      .filter((right) => !granted.some((entry) => uses(entry, right)))
      .map(describe),
  );
}

interface AuditEvent {
  readonly auditID: string;
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: ObjectReference;
  readonly responseStatus?: { readonly code?: number };
}

interface ObjectReference {
  readonly apiGroup?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** The last line may be incomplete. */
function parseEvent(line: string): AuditEvent | undefined {
  try {
    return line === '' ? undefined : (JSON.parse(line) as AuditEvent);
  } catch {
    return undefined;
  }
}

function entryOf({ verb, user, responseStatus }: AuditEvent, reference: ObjectReference): AuditEntry {
  const { apiGroup: group = '', resource = '', subresource = '', namespace = '', name = '' } = reference;
  return { user: user.username, verb, group, resource, subresource, namespace, name, code: responseStatus?.code ?? 0 };
}

/** One verb on one resource, optionally restricted to one name. */
interface Right {
  readonly verb: string;
  readonly group: string;
  /** With its subresource: `pods/status`. */
  readonly resource: string;
  readonly name: string | undefined;
}

function rightsIn({ apiGroups = [], resources = [], verbs, resourceNames = [] }: RoleRule): readonly Right[] {
  const names = resourceNames.length === 0 ? [undefined] : resourceNames;
  return verbs.flatMap((verb) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) => names.map((name): Right => ({ verb, group, resource, name }))),
    ),
  );
}

const READS_OF_MANY = ['list', 'watch'];

function uses(entry: AuditEntry, right: Right): boolean {
  const isReadOfMany = READS_OF_MANY.includes(right.verb) && READS_OF_MANY.includes(entry.verb);
  const isMade = right.verb === 'create' && entry.verb === 'patch' && entry.code === 201;
  return (
    (isReadOfMany || isMade || ['*', entry.verb].includes(right.verb)) &&
    ['*', entry.group].includes(right.group) &&
    ['*', resourceOf(entry)].includes(right.resource) &&
    (right.name === undefined || right.name === entry.name)
  );
}

function resourceOf({ resource, subresource }: Pick<AuditEntry, 'resource' | 'subresource'>): string {
  return subresource === '' ? resource : `${resource}/${subresource}`;
}

function rightOf(entry: Pick<AuditEntry, 'verb' | 'group' | 'resource' | 'subresource'>): string {
  return describe({ verb: entry.verb, group: entry.group, resource: resourceOf(entry), name: undefined });
}

function describe({ verb, group, resource, name }: Right): string {
  return [verb, group === '' ? resource : `${resource}.${group}`, ...(name === undefined ? [] : [name])].join(' ');
}

function unique(words: readonly string[]): readonly string[] {
  return [...new Set(words)];
}
