import type { StartOptions } from './options.ts';

/** `text` is plain everywhere; `auto` is text on a terminal, with colors unless `NO_COLOR` or `TERM=dumb` speaks against it. */
export function logStyle(
  logFormat: StartOptions['logFormat'],
  otherwise: 'json' | 'text',
  { isTerminal, env: { NO_COLOR: noColor = '', TERM: term } }: Terminal,
): { readonly format: 'json' | 'text'; readonly colors: boolean } {
  switch (logFormat) {
    case 'json':
      return { format: 'json', colors: false };
    case 'text':
      return { format: 'text', colors: false };
    case 'color':
      return { format: 'text', colors: true };
    case 'auto':
      return { format: isTerminal ? 'text' : otherwise, colors: isTerminal && noColor === '' && term !== 'dumb' };
  }
}

interface Terminal {
  readonly isTerminal: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}
