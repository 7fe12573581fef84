import type { HttpAnswer, HttpRequest } from '../answering.ts';
import { redirect } from './answers.ts';
import { formOf } from './form.ts';
import { foreignForm } from './gate.ts';
import { ownPath } from './own-path.ts';
import type { PageDesk } from './page-desk.ts';

/** Answers the form for a token, and the one that logs out. */
export class LoginRoutes {
  readonly #desk: PageDesk;

  constructor(desk: PageDesk) {
    this.#desk = desk;
  }

  async login(request: HttpRequest): Promise<HttpAnswer> {
    const form = formOf(request);
    const next = ownPath(form.get('next') ?? '/');
    const foreign = foreignForm(request, { type: 'nobody', hasTried: false }, undefined);
    if (foreign !== undefined) return this.#desk.asking(request, 403, next, `Nobody was logged in: ${foreign}.`);
    return this.#desk.answered(request, undefined, async () => {
      const login = await this.#desk.gate.login((form.get('token') ?? '').trim(), request);
      if (login.type === 'refused') return this.#desk.asking(request, 401, next, login.message);
      return redirect(next, { 'set-cookie': login.cookie });
    });
  }

  async logout(request: HttpRequest): Promise<HttpAnswer> {
    const caller = await this.#desk.callerOf(request);
    if ('status' in caller) return caller;
    const foreign = foreignForm(request, caller, formOf(request).get('csrf') ?? undefined);
    if (foreign !== undefined) return this.#desk.failure(request, caller, 403, `Nobody was logged out: ${foreign}.`);
    return redirect('/', { 'set-cookie': this.#desk.gate.logout(request) });
  }
}
