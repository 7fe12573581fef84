import type { PageSettings } from '../../operator/page/open-page.ts';
import { flag, port, text, words } from './spec.ts';

/** The options of the page. */
export const pageOptions = {
  ui: flag(
    '--ui',
    ['HOOKLET_UI'],
    'serve a page that shows what runs, waits and fails, to users of the cluster who log in',
  ),
  uiAddress: text('--ui-address <address>', ['HOOKLET_UI_ADDRESS'], '127.0.0.1', 'address of the page'),
  uiPort: port('--ui-port <port>', ['HOOKLET_UI_PORT'], 9116, 'port of the page; 0 takes a free one'),
  uiHost: words(
    '--ui-host <name...>',
    ['HOOKLET_UI_HOST'],
    'names by which browsers ask for the page, beside addresses and localhost',
  ),
} as const;

/** The page that `hooklet start` serves; undefined without `--ui`. */
export function pageSettings(options: {
  readonly ui: boolean;
  readonly uiAddress: string;
  readonly uiPort: number;
  readonly uiHost: readonly string[];
}): PageSettings | undefined {
  const { ui, uiAddress: address, uiPort, uiHost: hosts } = options;
  return ui ? { address, port: uiPort, hosts, isOpen: false } : undefined;
}

/** The page of `hooklet dev`: always there, for this machine alone, without a login. */
export function localPage({ uiPort }: { readonly uiPort: number }): PageSettings {
  return { address: '127.0.0.1', port: uiPort, hosts: [], isOpen: true };
}
