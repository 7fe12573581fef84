import type { CompletedCommand, CompletedOption, Operand } from './completion.ts';

/** The completion script for bash 3.2 and later; it does not need the bash-completion package. */
export function bashCompletion(commands: readonly CompletedCommand[]): string {
  const paths = commands.flatMap(({ path }) => (path === '' ? [] : [`'${path}'`]));
  return `# bash completion of hooklet; add to ~/.bashrc: source <(hooklet completion bash)

_hooklet_words() {
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$1" -- "$current")
}

_hooklet_files() {
  compopt -o filenames 2>/dev/null
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen "$1" -- "$current")
}

_hooklet() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} path='' word index
  COMPREPLY=()
  # bash takes --name=value for three words.
  if [[ $current == = ]]; then
    current=''
  elif [[ $previous == = ]]; then
    previous=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    case "\${path:+$path }$word" in
      ${paths.join('|')}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path:$previous" in
${commands.flatMap((command) => command.options.flatMap((option) => optionCase(command, option))).join('')}  esac
  case "$path" in
${commands.map(commandCase).join('')}  esac
}

complete -F _hooklet hooklet
`;
}

/** The case branches that complete the value of an option. */
function optionCase({ path }: CompletedCommand, { names, value }: CompletedOption): readonly string[] {
  if (value === undefined) return [];
  const patterns = names.map((name) => `'${path}:${name}'`).join('|');
  return [`    ${patterns}) ${complete(value)}; return ;;\n`];
}

function commandCase({ path, commands, options, operand }: CompletedCommand): string {
  const flags = options.flatMap(({ names }) => names).join(' ');
  const words = commands.map(({ name }) => name).join(' ');
  const other = commands.length > 0 ? `_hooklet_words '${words}'` : complete(operand);
  return `    '${path}')
      if [[ $current == -* ]]; then _hooklet_words '${flags}'; else ${other}; fi ;;
`;
}

function complete(operand: Operand): string {
  switch (operand.type) {
    case 'file':
      return '_hooklet_files -f';
    case 'folder':
      return '_hooklet_files -d';
    case 'words':
      return `_hooklet_words '${operand.words.join(' ')}'`;
    case 'text':
      return ':';
  }
}
