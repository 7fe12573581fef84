import type { HttpAnswer, HttpRequest } from '../answering.ts';
import type { PageUser } from './access.ts';
import { ACTION_PARAMETERS, actionOf, rightOf, type Action } from './actions.ts';
import { redirect } from './answers.ts';
import { formOf } from './form.ts';
import { foreignForm } from './gate.ts';
import { confirmForm } from './layout.ts';
import type { PageModel } from './model.ts';
import type { Notes } from './notes.ts';
import type { KnownCaller, PageDesk } from './page-desk.ts';
import { requireReadable, TEXT, type ViewParameters } from './parameters.ts';
import { Refused } from './refused.ts';
import { parameterOf } from './view.ts';

/** What the form of the question has, beside what describes the action. */
const PARAMETERS: ViewParameters = { ...ACTION_PARAMETERS, csrf: TEXT, expected: TEXT };

export interface ActionRouteOptions {
  readonly model: PageModel;
  readonly notes: Notes;
  /** Called when somebody has changed something, before it is done. */
  readonly onAction: (user: PageUser, words: string) => void;
}

/** Asks whether an action is meant, and does it when the form of that question comes back. */
export class ActionRoutes {
  readonly #desk: PageDesk;
  readonly #options: ActionRouteOptions;

  constructor(desk: PageDesk, options: ActionRouteOptions) {
    this.#desk = desk;
    this.#options = options;
  }

  async confirm(request: HttpRequest, caller: KnownCaller): Promise<HttpAnswer> {
    return this.#desk.answered(request, caller, async () => {
      const action = await this.#planned(request.query, caller);
      return this.#ask(request, caller, action);
    });
  }

  async act(request: HttpRequest): Promise<HttpAnswer> {
    const caller = await this.#desk.callerOf(request);
    if ('status' in caller) return caller;
    const form = formOf(request);
    const foreign = foreignForm(request, caller, form.get('csrf') ?? undefined);
    if (foreign !== undefined) return this.#desk.failure(request, caller, 403, `Nothing was done: ${foreign}.`);
    return this.#desk.answered(request, caller, async () => {
      const action = await this.#planned(form, caller);
      const { expected, words, back } = action;
      if (expected !== undefined && form.get('expected') !== expected) {
        const why = 'They are others than when you were asked. Nothing was done yet.';
        return this.#ask(request, caller, action, why);
      }
      this.#options.onAction(caller.user, words);
      const id = this.#options.notes.add(await action.carryOut());
      return redirect(`${back}${back.includes('?') ? '&' : '?'}note=${id}`);
    });
  }

  #ask(request: HttpRequest, caller: KnownCaller, action: Action, why?: string): HttpAnswer {
    const { carryOut: _carryOut, ...asked } = action;
    const main = confirmForm({ ...asked, csrf: caller.csrf ?? '', ...(why !== undefined && { problem: why }) });
    const parts = { title: 'Are you sure?', path: '', main };
    return this.#desk.sent(request, caller, why === undefined ? 200 : 409, parts);
  }

  async #planned(query: URLSearchParams, caller: KnownCaller): Promise<Action> {
    const { model } = this.#options;
    const refusal = model.refusal();
    if (refusal !== undefined) throw new Refused(409, `Nothing can be changed here: ${refusal}.`);
    requireReadable(query, PARAMETERS, 'the action');
    const given = (name: string): string | undefined => parameterOf(query, name);
    await this.#desk.require(caller.user, rightOf(given));
    const { gate } = this.#desk;
    const [mayRead, mayList] = await Promise.all([
      gate.may(caller.user, { verb: 'readpayload', resource: 'runs' }),
      gate.may(caller.user, { verb: 'list', resource: 'runs' }),
    ]);
    return actionOf(given, { model, mayRead, mayList });
  }
}
