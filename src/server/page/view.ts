import type { PageRight } from './access.ts';
import type { Html } from './html.ts';
import type { PageModel } from './model.ts';
import { MAX_PARAMETER, type ViewParameters } from './parameters.ts';

/** What a view is made of. */
export interface ViewContext {
  readonly model: PageModel;
  /** A parameter of the URL that the view names, without spaces around it; undefined where it is empty. */
  readonly given: (name: string) => string | undefined;
  /** Whether the user may read what hooks printed and wrote. */
  readonly mayRead: boolean;
  /** The actions that the user may take on everything. */
  readonly actions: ReadonlySet<PageRight['verb']>;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/** One page: where it is, who may see it, and its main part. */
export interface View {
  readonly path: string;
  readonly title: string;
  /** In the navigation; other views are reached by links. */
  readonly isListed: boolean;
  /** What it reads of its URL; anything else there is refused. */
  readonly parameters: ViewParameters;
  readonly right: (given: ViewContext['given']) => PageRight;
  /** Throws `UsageError` for what is not there. */
  readonly render: (context: ViewContext) => Promise<Html>;
}

export function parameterOf(query: URLSearchParams, name: string): string | undefined {
  const value = query.get(name)?.trim() ?? '';
  return value === '' || value.length > MAX_PARAMETER ? undefined : value;
}

export const NO_PAYLOAD = 'What hooks print and write is shown to those who have readpayload runs.hooks.hooklet.dev.';
