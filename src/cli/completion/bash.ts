import { allCommands, type CompletedCommand, type Values } from './command-tree.js'

/** Completion by bash. What is to be a file is left to bash's own completion. */
export function bashCompletion(program: CompletedCommand): string {
  const { name } = program
  const commands = allCommands(program)
  const paths = commands.map(({ path }) => path).filter((path) => path !== '')
  return `# Completion of ${name} by bash: eval "$(${name} completion bash)"
_${name}() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} at= i
  local IFS=$' \\t\\n'
  # To bash, --option=value are three words.
  if [[ $current == = ]]; then
    current=
  elif [[ $before == = ]]; then
    before=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at/\${COMP_WORDS[i]}" in
      ${paths.join(' | ')}) at+=/\${COMP_WORDS[i]} ;;
      *) break ;;
    esac
  done
  COMPREPLY=()
  case "$at $before" in
${commands.flatMap((command) => optionValues(name, command)).join('')}  esac
  if [[ $current == -* ]]; then
    case $at in
${commands.map(optionNames).join('')}    esac
    _${name}_no_files
    return
  fi
  case $at in
${commands.map((command) => words(name, command)).join('')}  esac
}
_${name}_words() {
  _${name}_no_files
  COMPREPLY=($(compgen -W "$1" -- "$current"))
}
_${name}_no_files() {
  # Before bash 4 there is no way to say so.
  compopt +o default 2>/dev/null
}
complete -o default -F _${name} ${name}
`
}

/** What the values of a command's options are: each returns. */
function optionValues(program: string, { path, options }: CompletedCommand): string[] {
  return options.flatMap(({ flags, values }) => {
    if (values === null) return []
    return `    ${flags.map((flag) => `"${path} ${flag}"`).join(' | ')}) ${complete(program, values)}; return ;;\n`
  })
}

function optionNames({ path, options }: CompletedCommand): string {
  const names = options.flatMap(({ flags }) => flags).join(' ')
  return `      '${path}') COMPREPLY=($(compgen -W '${names}' -- "$current")) ;;\n`
}

/** Commands below it, or its arguments. */
function words(program: string, { path, commands, arguments: args }: CompletedCommand): string {
  const names = commands.map(({ name }) => name)
  const values: Values =
    names.length > 0 ? { kind: 'choices', choices: names } : (args[0]?.values ?? { kind: 'anything' })
  return `    '${path}') ${complete(program, values)} ;;\n`
}

function complete(program: string, values: Values): string {
  if (values.kind === 'files') return ':'
  return values.kind === 'choices' ? `_${program}_words '${values.choices.join(' ')}'` : `_${program}_no_files`
}
