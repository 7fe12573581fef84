import { UsageError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { HttpAnswer, HttpRequest, HttpRoute, RequestHead } from '../answering.ts';
import type { PageRight, PageUser } from './access.ts';
import { ActionRoutes } from './action-routes.ts';
import { assetAnswer, plainAnswer } from './answers.ts';
import { assetAt } from './assets.ts';
import { MAX_FORM_BYTES } from './form.ts';
import { Gate, type PageDoor } from './gate.ts';
import { LoginRoutes } from './login-routes.ts';
import type { PageModel } from './model.ts';
import { Notes } from './notes.ts';
import { localUrl } from './own-path.ts';
import { requireReadable, TEXT } from './parameters.ts';
import { PageDesk, problem } from './page-desk.ts';
import { Refused } from './refused.ts';
import { PageStreams, STREAM_MS, versionOf } from './streams.ts';
import { parameterOf, type View, type ViewContext } from './view.ts';
import { viewAt } from './views.ts';

export interface PageRouteOptions {
  readonly model: PageModel;
  readonly door: PageDoor;
  /** Whether to answer a request with this Host header. */
  readonly isHostAllowed: (host: string | undefined) => boolean;
  /** Called when somebody has changed something, before it is done. */
  readonly onAction: (user: PageUser, words: string) => void;
  readonly now: () => number;
  readonly log: Pick<Logger, 'warn'>;
  /** Waits between two looks for a change; default `sleep`. */
  readonly wait?: (delayMs: number, signal: AbortSignal) => Promise<void>;
}

const VERBS: readonly PageRight[] = [
  { verb: 'retry', resource: 'runs' },
  { verb: 'drop', resource: 'runs' },
  { verb: 'pause', resource: 'hooks' },
  { verb: 'resume', resource: 'hooks' },
  { verb: 'trigger', resource: 'hooks' },
];

/** What is behind the paths of the page: its views are here, actions and the login in files of their own. */
export class PageRoutes {
  readonly #options: PageRouteOptions;
  readonly #gate: Gate;
  readonly #desk: PageDesk;
  readonly #actions: ActionRoutes;
  readonly #logins: LoginRoutes;
  readonly #notes = new Notes();
  readonly streams: PageStreams;

  constructor(options: PageRouteOptions) {
    this.#options = options;
    this.#gate = new Gate(options.door, options.now);
    this.#desk = new PageDesk(this.#gate, options.log);
    this.#actions = new ActionRoutes(this.#desk, { ...options, notes: this.#notes });
    this.#logins = new LoginRoutes(this.#desk);
    this.streams = new PageStreams({ ...options, version: () => options.model.version() });
  }

  /** The route of a request. */
  readonly route = (head: RequestHead): HttpRoute => {
    const { path, method, host } = head;
    if (!this.#options.isHostAllowed(host))
      return answering(plainAnswer(421, 'this server does not answer for the requested host; see --ui-host'));
    const asset = assetAt(path);
    const isReading = method === 'GET' || method === 'HEAD';
    if (asset !== undefined && isReading) return answering(assetAnswer(head, asset));
    const post = this.#formAt(path);
    if (post !== undefined && method === 'POST')
      return { maxBodyBytes: MAX_FORM_BYTES, handle: async (request) => post(request) };
    if (!isReading)
      return answering(plainAnswer(405, 'only GET and HEAD, and POST of forms', { allow: 'GET, HEAD, POST' }));
    if (path === '/events' && method === 'GET')
      return { answerLimitMs: STREAM_MS + 60_000, handle: async (request) => this.#events(request) };
    return { handle: async (request) => this.#page(request) };
  };

  #formAt(path: string): ((request: HttpRequest) => Promise<HttpAnswer>) | undefined {
    if (path === '/act') return async (request) => this.#actions.act(request);
    if (!this.#gate.hasLogin) return undefined;
    if (path === '/login') return async (request) => this.#logins.login(request);
    return path === '/logout' ? async (request) => this.#logins.logout(request) : undefined;
  }

  async #page(request: HttpRequest): Promise<HttpAnswer> {
    const caller = await this.#desk.callerOf(request);
    if ('status' in caller) return caller;
    const { path, query } = request;
    if (path === '/confirm') return this.#actions.confirm(request, caller);
    const view = viewAt(path);
    if (view === undefined) return this.#desk.failure(request, caller, 404, `There is nothing at ${path}.`);
    return this.#desk.answered(request, caller, async () => {
      const { main, title } = await this.#render(view, query, caller.user, request.signal);
      const note = this.#notes.of(parameterOf(query, 'note'));
      const live = { at: `${path}?${withoutNote(query)}`, version: versionOf(main.text) };
      return this.#desk.sent(request, caller, 200, { title, path, main, live, ...(note !== undefined && { note }) });
    });
  }

  /** Renders a view for somebody who may see it; rejects with `Refused` for others. */
  async #render(view: View, query: URLSearchParams, user: PageUser, signal: AbortSignal) {
    const { model, now } = this.#options;
    const given = (name: string): string | undefined => parameterOf(query, name);
    await this.#desk.require(user, view.right(given));
    requireReadable(query, { ...view.parameters, note: TEXT }, view.path);
    const may = async (right: PageRight): Promise<boolean> => this.#gate.may(user, right);
    const mayRead = await may({ verb: 'readpayload', resource: 'runs' });
    const isRefused = model.refusal() !== undefined;
    const allowed = isRefused
      ? []
      : await Promise.all(VERBS.map(async (right) => ((await may(right)) ? [right.verb] : [])));
    const context: ViewContext = { model, given, mayRead, actions: new Set(allowed.flat()), nowMs: now(), signal };
    return { main: await view.render(context), title: view.title };
  }

  async #events(request: HttpRequest): Promise<HttpAnswer> {
    const at = localUrl(request.query.get('at') ?? '/');
    const view = at && viewAt(at.pathname);
    if (at === undefined || view === undefined) return plainAnswer(404, 'there is no such page');
    const first = await this.#gate.callerOf(request);
    if (first.type !== 'user') return plainAnswer(401, 'nobody is known');
    const render = async (signal: AbortSignal): Promise<string | undefined> => {
      const caller = await this.#gate.callerOf(request);
      if (caller.type === 'busy') throw new Error('too many unknown tokens came');
      if (caller.type !== 'user') return undefined;
      try {
        return (await this.#render(view, at.searchParams, caller.user, signal)).main.text;
      } catch (error) {
        if (error instanceof Refused) return undefined;
        if (error instanceof UsageError) return problem(error.message).text;
        throw error;
      }
    };
    const seen = String(request.headers['last-event-id'] ?? request.query.get('seen') ?? '');
    return this.streams.open(render, seen) ?? plainAnswer(503, 'too many pages are open', { 'retry-after': '30' });
  }
}

function answering(answer: HttpAnswer): HttpRoute {
  return { handle: () => answer };
}

function withoutNote(query: URLSearchParams): string {
  const rest = new URLSearchParams(query);
  rest.delete('note');
  return rest.toString();
}
