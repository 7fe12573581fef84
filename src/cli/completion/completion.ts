import type { Argument, Command, Help, Option } from 'commander';
import { UsageError } from '../../errors.ts';
import { shown } from '../../lib/shown.ts';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { zshCompletion } from './zsh.ts';

/** A command with everything that can follow it, taken from the command line parser. */
export interface CompletedCommand {
  /** The words of the command, such as `schedule list`; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly Word[];
  readonly options: readonly CompletedOption[];
  readonly operand: Operand;
}

export interface Word {
  readonly name: string;
  readonly description: string;
}

export interface CompletedOption {
  /** `--output`, and `-o` if there is a short form. */
  readonly names: readonly string[];
  readonly description: string;
  /** The values to complete; absent for a flag without a value. */
  readonly value?: Operand;
}

/** What is completed for a positional argument. */
export type Operand =
  | { readonly type: 'file' | 'folder' | 'text' }
  | { readonly type: 'words'; readonly words: readonly string[] };

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

const SHELL_NAMES = Object.keys(SHELLS);

/** The completion script of `program` for a shell; throws `UsageError` for an unknown shell. */
export function completionScript(program: Command, shell: string): string {
  const render = Object.entries(SHELLS).find(([name]) => name === shell)?.[1];
  if (render !== undefined) return render(completedCommands(program));
  throw new UsageError(`completion: got ${shown(shell)}, expected one of ${SHELL_NAMES.join(', ')}`);
}

/** The program and all its commands, parents before their subcommands. */
function completedCommands(program: Command): readonly CompletedCommand[] {
  const all = commandsBelow(program, '', program.createHelp());
  const [root, ...rest] = all;
  const start = all.find(({ path }) => path === 'start');
  // Without a command, the program takes the options of start.
  if (root === undefined || start === undefined) return all;
  return [{ ...root, options: [...root.options, ...start.options.filter(isOther(root.options))] }, ...rest];
}

function isOther(known: readonly CompletedOption[]): (option: CompletedOption) => boolean {
  const names = new Set(known.flatMap((option) => option.names));
  return (option) => !option.names.some((name) => names.has(name));
}

function commandsBelow(command: Command, path: string, help: Help): readonly CompletedCommand[] {
  const below = help.visibleCommands(command);
  const self: CompletedCommand = {
    path,
    commands: below.map((one) => ({ name: one.name(), description: oneLine(one.description()) })),
    options: help.visibleOptions(command).map(completedOption),
    operand: operandOf(command.registeredArguments),
  };
  const known = below.filter((one) => command.commands.includes(one));
  return [self, ...known.flatMap((one) => commandsBelow(one, `${path} ${one.name()}`.trim(), help))];
}

function completedOption({ short, long, flags, description }: Option): CompletedOption {
  const names = [short, long].filter((name) => name !== undefined);
  const placeholder = /[<[](\w+)[>\]]/.exec(flags)?.[1];
  const text = oneLine(description);
  return { names, description: text, ...(placeholder !== undefined && { value: valueOf(placeholder, text) }) };
}

function valueOf(placeholder: string, description: string): Operand {
  const words = /\bone of ([\w-]+(?:, [\w-]+)*)/.exec(description)?.[1];
  if (words !== undefined) return { type: 'words', words: words.split(', ') };
  if (placeholder === 'dir') return { type: 'folder' };
  return { type: placeholder === 'file' || placeholder === 'path' ? 'file' : 'text' };
}

function operandOf(operands: readonly Argument[]): Operand {
  const descriptions = operands.map(({ description }) => description);
  const words = descriptions.map((text) => valueOf('', text)).find(({ type }) => type === 'words');
  if (words !== undefined) return words;
  if (descriptions.some((text) => /\bfiles?\b/.test(text))) return { type: 'file' };
  return { type: descriptions.some((text) => /\bfolders?\b/.test(text)) ? 'folder' : 'text' };
}

/** The first part of a description, since a list of completions has one line for each. */
function oneLine(description: string): string {
  return description.replaceAll(/\s+/g, ' ').replace(/ \((?:default|env)\b.*\)$/, '');
}
