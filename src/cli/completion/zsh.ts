import type { CompletedCommand, CompletedOption, Operand } from './completion.ts';

/** The completion script for zsh, a function that can be put into a folder of `fpath` or sourced. */
export function zshCompletion(commands: readonly CompletedCommand[]): string {
  const paths = commands.flatMap(({ path }) => (path === '' ? [] : [`'${path}'`]));
  return `#compdef hooklet
# zsh completion of hooklet; add to ~/.zshrc after compinit: source <(hooklet completion zsh)

_hooklet() {
  local current=\${words[CURRENT]} previous=\${words[CURRENT-1]} command_path='' word index
  local -a found
  # Of --name=value, the value is completed.
  if [[ $current == --*=* ]]; then
    previous=\${current%%=*}
    compset -P '*='
  fi
  for ((index = 2; index < CURRENT; index++)); do
    word=\${words[index]}
    case "\${command_path:+$command_path }$word" in
      ${paths.join('|')}) command_path="\${command_path:+$command_path }$word" ;;
    esac
  done
  case "$command_path:$previous" in
${commands.flatMap((command) => command.options.flatMap((option) => optionCase(command, option))).join('')}  esac
  case "$command_path" in
${commands.map(commandCase).join('')}  esac
}

if [[ \${funcstack[1]} == _hooklet ]]; then
  _hooklet "$@"
else
  compdef _hooklet hooklet
fi
`;
}

function optionCase({ path }: CompletedCommand, { names, value }: CompletedOption): readonly string[] {
  if (value === undefined) return [];
  const patterns = names.map((name) => `'${path}:${name}'`).join('|');
  return [`    ${patterns}) ${complete(value)}; return ;;\n`];
}

function commandCase({ path, commands, options, operand }: CompletedCommand): string {
  const flags = options.flatMap(({ names, description }) => names.map((name) => described(name, description)));
  const words = commands.map(({ name, description }) => described(name, description));
  const other = commands.length > 0 ? `found=(${words.join(' ')}); _describe command found` : complete(operand);
  return `    '${path}')
      if [[ $current == -* ]]; then
        found=(${flags.join(' ')})
        _describe option found
      else
        ${other}
      fi ;;
`;
}

/** Escapes colons, because a colon separates the name from its description. */
function described(name: string, description: string): string {
  return quoted(`${name}:${description}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function complete(operand: Operand): string {
  switch (operand.type) {
    case 'file':
      return '_files';
    case 'folder':
      return '_files -/';
    case 'words':
      return `compadd -- ${operand.words.join(' ')}`;
    case 'text':
      return ':';
  }
}
