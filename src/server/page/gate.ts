import { randomBytes } from 'node:crypto';
import type { RequestHead } from '../answering.ts';
import type { PageAccess, PageRight, PageUser } from './access.ts';
import { isSame, Sessions } from './sessions.ts';

/** Who may use the page: everybody who reaches it, or those whom the API server knows. */
export type PageDoor =
  | { readonly type: 'open'; readonly user: PageUser }
  | { readonly type: 'tokens'; readonly access: PageAccess };

/** Who sent a request. */
export type Caller =
  | {
      readonly type: 'user';
      readonly user: PageUser;
      /** What forms must carry; absent for a request with a token of its own, which no other site can send. */
      readonly csrf?: string;
    }
  | { readonly type: 'nobody'; readonly hasTried: boolean }
  | { readonly type: 'busy'; readonly retryAfterS: number };

const MAX_TOKEN = 8192;

/** Says who sent a request and what they may do, and begins and ends the sessions of browsers. */
export class Gate {
  readonly #door: PageDoor;
  readonly #csrf = randomBytes(18).toString('base64url');
  readonly #sessions: Sessions;

  constructor(door: PageDoor, now: () => number) {
    this.#door = door;
    this.#sessions = new Sessions(now);
  }

  /** Whether people log in. */
  get hasLogin(): boolean {
    return this.#door.type === 'tokens';
  }

  async callerOf({ headers, source }: RequestHead): Promise<Caller> {
    if (this.#door.type === 'open') return { type: 'user', user: this.#door.user, csrf: this.#csrf };
    const bearer = bearerOf(headers.authorization);
    const session = bearer === undefined ? this.#sessions.of(headers.cookie) : undefined;
    const token = bearer ?? session?.token;
    if (token === undefined || token.length > MAX_TOKEN) return { type: 'nobody', hasTried: token !== undefined };
    const answer = await this.#door.access.userOf(token, source);
    if (answer.type === 'unknown') return { type: 'nobody', hasTried: true };
    if (answer.type === 'busy') return answer;
    return { type: 'user', user: answer.user, ...session?.form };
  }

  async may(user: PageUser, right: PageRight): Promise<boolean> {
    return this.#door.type === 'open' || this.#door.access.may(user, right);
  }

  /** Begins a session; resolves to the Set-Cookie header, or to why there is none. */
  async login(token: string, head: RequestHead): Promise<Login> {
    if (this.#door.type === 'open') return { type: 'refused', message: 'nobody logs in here' };
    if (token === '' || token.length > MAX_TOKEN) return { type: 'refused', message: 'That is no token.' };
    const answer = await this.#door.access.userOf(token, head.source);
    if (answer.type === 'busy')
      return { type: 'refused', message: `Too many unknown tokens came: try again in ${answer.retryAfterS} s.` };
    if (answer.type === 'unknown')
      return { type: 'refused', message: 'The API server does not know this token. It may have expired.' };
    this.#sessions.end(head.headers.cookie);
    return {
      type: 'begun',
      user: answer.user,
      cookie: this.#cookie(this.#sessions.begin(token, answer.user.name), head),
    };
  }

  /** Ends the session of a browser; returns the Set-Cookie header. */
  logout(head: RequestHead): string {
    this.#sessions.end(head.headers.cookie);
    return `${this.#cookie('', head)}; Max-Age=0`;
  }

  #cookie(value: string, { headers }: RequestHead): string {
    const isTls = headers['x-forwarded-proto'] === 'https';
    return `${this.#sessions.cookie}=${value}; Path=/; HttpOnly; SameSite=Strict${isTls ? '; Secure' : ''}`;
  }
}

/** What became of a login. */
export type Login =
  | { readonly type: 'begun'; readonly user: PageUser; readonly cookie: string }
  | { readonly type: 'refused'; readonly message: string };

/** Why a request that changes something is refused, whoever sent it; undefined where it comes from the page itself. */
export function foreignForm(
  { headers, host }: RequestHead,
  caller: Caller,
  csrf: string | undefined,
): string | undefined {
  if (caller.type === 'user' && caller.csrf === undefined) return undefined;
  if (!isOwnOrigin(headers.origin, host) || (headers['sec-fetch-site'] ?? 'same-origin') !== 'same-origin') {
    return 'the form was sent by another site';
  }
  if (caller.type !== 'user') return undefined;
  return csrf !== undefined && isSame(csrf, caller.csrf ?? '')
    ? undefined
    : 'the form is of an earlier session: open the page again';
}

function bearerOf(header = ''): string | undefined {
  return /^Bearer +(\S+)$/i.exec(header)?.[1];
}

/** Browsers send the header with every form. */
function isOwnOrigin(origin: string | undefined, host: string | undefined): boolean {
  if (origin === undefined || host === undefined || !URL.canParse(origin)) return false;
  return new URL(origin).host.toLowerCase() === host.toLowerCase();
}
