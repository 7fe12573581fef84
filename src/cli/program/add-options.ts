import type { Command } from 'commander';
import type { OptionSpec } from '../options/spec.ts';

/** Adds the options of a table to a command. */
export function addOptions(command: Command, specs: Readonly<Record<string, OptionSpec<unknown>>>): void {
  for (const { flag, description, defaultText, env } of Object.values(specs)) {
    const fallback = defaultText === '' || defaultText === 'false' ? '' : `default ${defaultText}; `;
    command.option(flag, `${description} (${fallback}env ${env.join(', ')})`);
  }
}
