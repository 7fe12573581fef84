import { compareText } from './compare-text.ts';
import type { Need, NeedOwner } from './need.ts';
import { RequestCounts } from './request-counts.ts';
import { isObject } from '../lib/json-object.ts';

/** What a log of the API server's audit says about accounts; everything is bounded. */
export interface AuditSummary {
  readonly lines: number;
  /** Lines that are no audit event: not JSON, cut off, or too long. */
  readonly broken: number;
  /** Events of other users, the users by name, the most frequent first. */
  readonly foreign: number;
  readonly foreignUsers: readonly string[];
  /** Requests of the accounts for no object, such as discovery, which every account may use. */
  readonly withoutObject: number;
  /** Requests of the accounts that were counted. */
  readonly requests: number;
}

/** Whose needs the requests of a user are; undefined for a user that does not matter. */
export type OwnerOfUser = (user: string) => NeedOwner | undefined;

const MAX_USERS = 200;
/**
 * Counts what accounts asked of the API server, one line of the audit log after the other. `Metadata` is level enough.
 * A request that RBAC refused counts as well: it was needed.
 */
export class AuditEvents {
  readonly #ownerOf: OwnerOfUser;
  readonly #counts = new RequestCounts('in the audit log');
  readonly #users = new Map<string, number>();
  #lines = 0;
  #broken = 0;
  #foreign = 0;
  #withoutObject = 0;
  #requests = 0;

  constructor(ownerOf: OwnerOfUser) {
    this.#ownerOf = ownerOf;
  }

  /** A line that is too long to be read. */
  skip(): void {
    this.#lines += 1;
    this.#broken += 1;
  }

  line(text: string): void {
    if (text.trim() === '') return;
    this.#lines += 1;
    const event = parsed(text);
    if (event === undefined) {
      this.#broken += 1;
      return;
    }
    // A watch is told when it starts; every other request when it has ended.
    const stage = textAt(event, 'stage');
    const verb = textAt(event, 'verb');
    const isCounted = stage === 'ResponseComplete' || (stage === 'ResponseStarted' && verb === 'watch');
    if (!isCounted) return;
    const user = userOf(event);
    const owner = this.#ownerOf(user);
    if (owner === undefined) this.#countForeign(user);
    else this.#count(event, owner);
  }

  needs(): readonly Need[] {
    return this.#counts.needs();
  }

  summary(): AuditSummary {
    const users = [...this.#users].toSorted(([a, m], [b, n]) => n - m || compareText(a, b));
    return {
      lines: this.#lines,
      broken: this.#broken,
      foreign: this.#foreign,
      foreignUsers: users.map(([user]) => user),
      withoutObject: this.#withoutObject,
      requests: this.#requests,
    };
  }

  #countForeign(user: string): void {
    this.#foreign += 1;
    const known = this.#users.get(user);
    if (known !== undefined || this.#users.size < MAX_USERS) this.#users.set(user, (known ?? 0) + 1);
  }

  #count(event: Event, owner: NeedOwner): void {
    const reference = event['objectRef'];
    const resource = isObject(reference) ? textAt(reference, 'resource') : '';
    if (!isObject(reference) || resource === '') {
      this.#withoutObject += 1;
      return;
    }
    // What admission refused was allowed by RBAC; a refusal by RBAC is in the annotations.
    const isDryRun = /[?&]dryRun=All\b/.test(textAt(event, 'requestURI'));
    const annotations = event['annotations'];
    const decision = isObject(annotations) ? textAt(annotations, 'authorization.k8s.io/decision') : '';
    const status = event['responseStatus'];
    const code = isObject(status) ? status['code'] : undefined;
    this.#requests += 1;
    const verb = textAt(event, 'verb');
    const asked = {
      group: textAt(reference, 'apiGroup'),
      resource: wholeResource(reference, resource),
      namespace: textAt(reference, 'namespace'),
      name: textAt(reference, 'name'),
      of: owner,
    };
    const isRefused = decision === 'forbid' || (decision === '' && code === 403);
    this.#counts.note({ ...asked, verb }, { isRefused, isDryRun });
    // Server-side apply of an object that was not there creates it.
    if (verb === 'patch' && code === 201) this.#counts.note({ ...asked, verb: 'create' }, { isRefused, isDryRun });
  }
}

type Event = Readonly<Record<string, unknown>>;

function parsed(text: string): Event | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && typeof value['verb'] === 'string' && isObject(value['user']) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** As whom the request was authorized. */
function userOf(event: Event): string {
  const user = isObject(event['impersonatedUser']) ? event['impersonatedUser'] : event['user'];
  return isObject(user) ? textAt(user, 'username') : '';
}

function wholeResource(reference: Event, resource: string): string {
  const subresource = textAt(reference, 'subresource');
  return subresource === '' ? resource : `${resource}/${subresource}`;
}

function textAt(object: Event, key: string): string {
  const value = object[key];
  return typeof value === 'string' ? value.slice(0, MAX_TEXT) : '';
}

const MAX_TEXT = 2000;
