import { UsageError } from '../../../errors.ts';
import type { HookFacts } from '../model.ts';
import { markup, pathTo, type Html } from '../html.ts';
import { TEXT } from '../parameters.ts';
import { actionLink, badge, empty, facts, hookLink, section, table } from '../parts.ts';
import type { View } from '../view.ts';
import { runTable } from './runs.ts';

const LIMIT = 500;
const RUNS = 20;

/** The hooks that are loaded, and those that could not be. */
export const hooksView: View = {
  path: '/hooks',
  title: 'Hooks',
  isListed: true,
  parameters: {},
  right: () => ({ verb: 'list', resource: 'hooks' }),
  render: async ({ model }) => {
    const all = await model.hooks();
    if (all.length === 0) return empty('No hook is loaded.');
    const rows = all
      .slice(0, LIMIT)
      .map((hook) => [
        hookLink(hook.name),
        badge(hook.state),
        hook.type,
        lines(hook.bindings.slice(0, 5)),
        problems(hook),
      ]);
    const more = all.length > LIMIT && empty(`and ${all.length - LIMIT} more`);
    return markup`${table('Hooks', ['Hook', 'State', 'Type', 'Bindings', 'Problems'], rows)}${more}`;
  },
};

function problems({ problem, warnings }: HookFacts): Html | string {
  const all = [...(problem === undefined ? [] : [problem]), ...warnings];
  return all.length === 0 ? 'none' : lines(all.slice(0, 5));
}

/** One hook: its config as it was understood, and its last runs. */
export const hookView: View = {
  path: '/hook',
  title: 'Hook',
  isListed: false,
  parameters: { name: TEXT },
  right: (given) => ({ verb: 'get', resource: 'hooks', ...nameOf(given('name')) }),
  render: async ({ model, given, actions }) => {
    const name = given('name') ?? '';
    const hook = (await model.hooks()).find((one) => one.name === name);
    if (hook === undefined) throw new UsageError(`no hook ${JSON.stringify(name)} is loaded`);
    const { runs } = model.view.runs.list({ hook: name, limit: RUNS });
    const all = markup`<a href="${pathTo('/runs', { hook: name })}">all</a>,
      <a href="${pathTo('/failures', { hook: name })}">failures</a>`;
    const pause = actions.has('pause') && actionLink('Pause', { do: 'pause', hook: name }, `Pause hook ${name}`);
    return markup`${[
      markup`<p class="lead">${badge(hook.state)} <b>${name}</b> ${pause}</p>`,
      hook.problem !== undefined && markup`<p class="error">${hook.problem}</p>`,
      facts([
        ['Type', hook.type],
        ['Content', hook.hash !== undefined && markup`<code>${hook.hash}</code>`],
        ['Settings', hook.settings.length === 0 ? 'default' : hook.settings.join(', ')],
      ]),
      section('Bindings', hook.bindings.length === 0 ? empty('None is known.') : lines(hook.bindings)),
      hook.warnings.length > 0 && section('Warnings', lines(hook.warnings)),
      section('Last runs', runs.length === 0 ? empty('No run is remembered.') : runTable('Last runs', runs), all),
    ]}`;
  },
};

function lines(all: readonly string[]): Html {
  return markup`<ul class="lines">${all.map((line) => markup`<li>${line}</li>`)}</ul>`;
}

function nameOf(name: string | undefined): { readonly name?: string } {
  return name === undefined ? {} : { name };
}
