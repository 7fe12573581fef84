import { within } from '../../lib/deadline.ts';
import { printable } from '../../lib/printable.ts';
import { unreachable } from '../../lib/unreachable.ts';
import { messageOf } from '../../lib/message-of.ts';
import { choicesOf, runAgain, type Choice, type KeyDoor, type Sent, type Wait } from './choices.ts';

/** What the keys wait for. */
type State =
  | { readonly type: 'idle' }
  | { readonly type: 'choosing'; readonly choices: readonly Choice[]; readonly typed: string }
  | { readonly type: 'naming'; readonly send: (namespace: string, name: string) => Sent; readonly typed: string }
  | { readonly type: 'writing'; readonly send: (text: string) => Sent; readonly typed: string }
  /** Something is to come first; the keys that are typed meanwhile are taken then. */
  | { readonly type: 'waiting'; readonly typed: string; readonly end: AbortController };

type Typing = Extract<State, { readonly type: 'choosing' | 'naming' | 'writing' }>;

export interface DevKeysOptions {
  /** Undefined until the operator is open. */
  readonly door: () => KeyDoor | undefined;
  readonly write: (text: string) => void;
  readonly quit: () => void;
}

const HELP = `keys
  r  run again what ran last
  e  send an event, a review, a conversion or a request: choose a hook, and an object
  q  quit
  ?  this help
`;
const CANCEL = '\u001B';
const INTERRUPT = '\u0003';
const MAX_TYPED = 317;
const MAX_TEXT = 4096;
const WAIT_MS = 5000;

/**
 * The keys of `hooklet dev`: each pressed key is given to `press`. While something is chosen, Enter ends what is typed,
 * and Escape leaves it.
 */
export class DevKeys {
  readonly #options: DevKeysOptions;
  #state: State = { type: 'idle' };

  constructor(options: DevKeysOptions) {
    this.#options = options;
  }

  press(key: string): void {
    if (key === INTERRUPT) return this.#options.quit();
    switch (this.#state.type) {
      case 'idle':
        return this.#command(key);
      case 'choosing':
      case 'naming':
      case 'writing':
        return this.#type(key, this.#state);
      case 'waiting':
        return this.#keep(key, this.#state);
      default:
        return unreachable(this.#state);
    }
  }

  /** Leaves what is waited for. */
  end(): void {
    if (this.#state.type === 'waiting') this.#state.end.abort();
    this.#state = { type: 'idle' };
  }

  #command(key: string): void {
    const { door, write, quit } = this.#options;
    if (key === 'q') return quit();
    if (key === '?') return write(HELP);
    if (key !== 'r' && key !== 'e') return undefined;
    const opened = door();
    if (opened === undefined) return write('hooks are not loaded yet\n');
    if (key === 'r') return write(printable(`${runAgain(opened)}\n`));
    return this.#ask({ type: 'choose', title: 'send what?', choices: choicesOf(opened) });
  }

  #type(key: string, state: Typing): void {
    const { write } = this.#options;
    if (key === CANCEL) return this.#leave();
    if (key === '\r' || key === '\n') return this.#enter(state);
    const typed = key === '\u007F' ? state.typed.slice(0, -1) : `${state.typed}${key}`;
    this.#state = { ...state, typed: typed.slice(0, state.type === 'writing' ? MAX_TEXT : MAX_TYPED) };
    return write(key === '\u007F' ? '\b \b' : printable(key));
  }

  #enter(state: Typing): void {
    this.#state = { type: 'idle' };
    this.#options.write('\n');
    if (state.type === 'writing') return this.#ask(state.send(state.typed));
    if (state.type === 'naming') {
      const [first = '', second] = state.typed.trim().split('/');
      const isName = first !== '' && second !== '';
      return isName
        ? this.#ask(second === undefined ? state.send('', first) : state.send(first, second))
        : this.#refuse();
    }
    const chosen = state.choices[Number(state.typed) - 1];
    return chosen === undefined ? this.#refuse() : this.#ask(chosen.send());
  }

  #leave(): void {
    this.#state = { type: 'idle' };
    this.#options.write('\nnothing sent\n');
  }

  #keep(key: string, state: Extract<State, { readonly type: 'waiting' }>): void {
    if (key === CANCEL) {
      state.end.abort();
      return this.#leave();
    }
    this.#state = { ...state, typed: `${state.typed}${key}`.slice(0, MAX_TYPED) };
    return undefined;
  }

  async #wait({ title, until, late, limitMs = WAIT_MS }: Wait): Promise<void> {
    const end = new AbortController();
    this.#state = { type: 'waiting', typed: '', end };
    this.#options.write(printable(`${title}\n`));
    const nothing = (): Sent => ({ type: 'sent', what: late });
    const sent = await within(until, { limitMs, late: nothing, signal: end.signal }).catch(failed);
    const state = this.#state;
    // Escape has left it.
    if (state.type !== 'waiting' || state.end !== end) return;
    this.#state = { type: 'idle' };
    this.#ask(sent);
    for (const key of state.typed) this.press(key);
  }

  #refuse(): void {
    this.#options.write('nothing sent: that is none of them\n');
  }

  #ask(sent: Sent): void {
    const { write } = this.#options;
    switch (sent.type) {
      case 'sent':
      case 'answered':
        return write(printable(`${sent.type}: ${sent.what}\n`));
      case 'wait':
        return void this.#wait(sent);
      case 'text':
        this.#state = { type: 'writing', send: sent.send, typed: '' };
        return write(`${sent.title}: `);
      case 'name':
        this.#state = { type: 'naming', send: sent.send, typed: '' };
        return write(`${sent.title}: `);
      case 'choose':
        return this.#choose(sent);
    }
  }

  #choose({ title, choices }: Extract<Sent, { readonly type: 'choose' }>): void {
    const { write } = this.#options;
    if (choices.length === 0) return write('there is nothing to send: no hook has such a binding\n');
    this.#state = { type: 'choosing', choices, typed: '' };
    const lines = choices.map(({ text }, index) => `  ${index + 1}  ${printable(text)}\n`);
    return write(`${title}\n${lines.join('')}number, then Enter (Escape leaves): `);
  }
}

function failed(error: unknown): Sent {
  return { type: 'sent', what: `nothing: ${messageOf(error)}` };
}
