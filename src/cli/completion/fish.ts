import type { CompletedCommand, CompletedOption, Operand } from './completion.ts';

/** The completion script for fish: one line for each command and option. */
export function fishCompletion(commands: readonly CompletedCommand[]): string {
  const paths = commands.flatMap(({ path }) => (path === '' ? [] : [quoted(path)]));
  return `# fish completion of hooklet: hooklet completion fish > ~/.config/fish/completions/hooklet.fish

function __hooklet_at
    set -l path
    for word in (commandline -opc)[2..-1]
        switch (string join ' ' $path $word)
            case ${paths.join(' ')}
                set path $path $word
        end
    end
    test (string join ' ' $path) = "$argv[1]"
end

complete -c hooklet -f
${commands.map(commandLines).join('')}`;
}

function commandLines({ path, commands, options, operand }: CompletedCommand): string {
  const at = `complete -c hooklet -n ${quoted(`__hooklet_at ${quoted(path)}`)}`;
  const below = commands.map(({ name, description }) => `${at} -a ${name} -d ${quoted(description)}\n`);
  const own = commands.length > 0 || operand.type === 'text' ? [] : [`${at} ${complete(operand)}\n`];
  return [...below, ...options.map((option) => `${at} ${optionWords(option)}\n`), ...own].join('');
}

function optionWords({ names, description, value }: CompletedOption): string {
  const words = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  return [...words, '-d', quoted(description), ...(value === undefined ? [] : ['-r', complete(value)])]
    .join(' ')
    .trim();
}

function complete(operand: Operand): string {
  switch (operand.type) {
    case 'file':
      return '-F';
    case 'folder':
      return "-a '(__fish_complete_directories)'";
    case 'words':
      return `-a ${quoted(operand.words.join(' '))}`;
    case 'text':
      return '';
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`)}'`;
}
