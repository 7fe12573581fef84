import { HookletError, UsageError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { HttpAnswer, HttpRequest, RequestHead } from '../answering.ts';
import { rightText, type PageRight, type PageUser } from './access.ts';
import { pageAnswer, plainAnswer } from './answers.ts';
import type { Caller, Gate } from './gate.ts';
import { markup, type Html } from './html.ts';
import { layout, loginForm, type PageParts } from './layout.ts';
import { ownPath } from './own-path.ts';
import { Refused } from './refused.ts';

export type KnownCaller = Extract<Caller, { readonly type: 'user' }>;

/** Knows who sent a request, and answers with whole pages: what was asked for, why it is refused, or the form to log in. */
export class PageDesk {
  readonly gate: Gate;
  readonly #log: Pick<Logger, 'warn'>;

  constructor(gate: Gate, log: Pick<Logger, 'warn'>) {
    this.gate = gate;
    this.#log = log;
  }

  /** Who sent a request, or the answer to somebody who is not known. */
  async callerOf(request: HttpRequest): Promise<KnownCaller | HttpAnswer> {
    try {
      const caller = await this.gate.callerOf(request);
      if (caller.type === 'user') return caller;
      if (caller.type === 'busy')
        return plainAnswer(503, 'too many unknown tokens came', { 'retry-after': String(caller.retryAfterS) });
      const why = caller.hasTried ? 'The API server does not know the token, or no longer.' : undefined;
      const next = request.method === 'POST' ? '/' : `${request.path}?${request.query.toString()}`;
      return this.asking(request, 401, ownPath(next), why);
    } catch (error) {
      return this.#failed(request, undefined, error);
    }
  }

  /** Rejects with `Refused` where the user lacks the right. */
  async require(user: PageUser, right: PageRight): Promise<void> {
    if (!(await this.gate.may(user, right)))
      throw new Refused(403, `${user.name} may not do this: it needs ${rightText(right)}.`);
  }

  /** The form for a token. */
  asking(request: RequestHead, status: number, next: string, why?: string): HttpAnswer {
    const text = layout({ title: 'Log in', path: '', main: loginForm(next, why) });
    return pageAnswer(request, status, text, { 'www-authenticate': 'Bearer' });
  }

  /** What `work` resolves to, or a page that says why there is none. */
  async answered(
    request: RequestHead,
    caller: KnownCaller | undefined,
    work: () => Promise<HttpAnswer>,
  ): Promise<HttpAnswer> {
    try {
      return await work();
    } catch (error) {
      return this.#failed(request, caller, error);
    }
  }

  /** A page that says what is wrong. */
  failure(request: RequestHead, caller: KnownCaller | undefined, status: number, message: string): HttpAnswer {
    const parts = { title: TITLES[status] ?? 'It failed', path: '', main: problem(message) };
    return caller === undefined
      ? pageAnswer(request, status, layout(parts))
      : this.sent(request, caller, status, parts);
  }

  /** A whole page for a known user. */
  sent(request: RequestHead, { user, csrf }: KnownCaller, status: number, parts: PageParts): HttpAnswer {
    const logout = this.gate.hasLogin && csrf !== undefined ? { logout: csrf } : {};
    return pageAnswer(request, status, layout({ ...parts, who: { name: user.name, ...logout } }));
  }

  #failed(request: RequestHead, caller: KnownCaller | undefined, error: unknown): HttpAnswer {
    if (error instanceof Refused) return this.failure(request, caller, error.status, error.message);
    if (error instanceof UsageError) return this.failure(request, caller, 404, error.message);
    if (error instanceof HookletError) {
      this.#log.warn({ err: error }, 'a request to the page failed');
      // Strangers are not told what the API server said.
      const message = caller === undefined ? 'The API server could not be asked whose the token is.' : error.message;
      return this.failure(request, caller, 500, message);
    }
    throw error;
  }
}

const TITLES: Readonly<Record<number, string>> = { 400: 'Not understood', 403: 'Not allowed', 404: 'Not found' };

/** The main part of a page that has nothing but a message, of one or more lines. */
export function problem(message: string): Html {
  return markup`${message.split('\n').map((line) => markup`<p class="error">${line}</p>`)}`;
}
