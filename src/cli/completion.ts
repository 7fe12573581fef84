import type { Argument, Command, Help, Option } from 'commander';
import { UsageError } from '../errors.ts';
import { shown } from '../lib/shown.ts';
import { bashCompletion } from './completion-bash.ts';
import { fishCompletion } from './completion-fish.ts';
import { zshCompletion } from './completion-zsh.ts';

/** What can be typed, as the parser has it. */
export interface CompletedCommand {
  /** The words before what is completed, such as `schedule list`; empty for the program itself. */
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
  /** `--output`, and `-o` where there is one. */
  readonly names: readonly string[];
  readonly description: string;
  /** Absent for a switch. */
  readonly value?: Operand;
}

/** What a word that is no option may be. */
export type Operand =
  | { readonly type: 'file' | 'folder' | 'text' }
  | { readonly type: 'words'; readonly words: readonly string[] };

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

const SHELL_NAMES = Object.keys(SHELLS);

/** The script that completes the words of `program` in a shell; throws `UsageError` for a shell that is not known. */
export function completionScript(program: Command, shell: string): string {
  const render = Object.entries(SHELLS).find(([name]) => name === shell)?.[1];
  if (render !== undefined) return render(completedCommands(program));
  throw new UsageError(`completion: got ${shown(shell)}, expected one of ${SHELL_NAMES.join(', ')}`);
}

/** The program and all its commands, each after the one it belongs to. */
function completedCommands(program: Command): readonly CompletedCommand[] {
  const all = commandsBelow(program, '', program.createHelp());
  const [root, ...rest] = all;
  const start = all.find(({ path }) => path === 'start');
  // Without a command it is start.
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

/** Without what follows the first part: a list of completions has one line for each. */
function oneLine(description: string): string {
  return description.replaceAll(/\s+/g, ' ').replace(/ \((?:default|env)\b.*\)$/, '');
}
