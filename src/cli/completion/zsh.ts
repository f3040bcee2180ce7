import {
  allCommands,
  type CompletedArgument,
  type CompletedCommand,
  type CompletedOption,
  type Values,
} from './command-tree.js'

/** Completion by zsh, whose `compinit` must have run: by its `_arguments` and `_describe`. */
export function zshCompletion(program: CompletedCommand): string {
  const { name } = program
  const commands = allCommands(program)
  const paths = commands.map(({ path }) => path).filter((path) => path !== '')
  return `#compdef ${name}
# Completion of ${name} by zsh: source <(${name} completion zsh)
_${name}() {
  local at= word
  local -i depth=1
  local -a below
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at/$word" in
      (${paths.join('|')}) at+="/$word"; (( depth++ )) ;;
      (*) break ;;
    esac
  done
  words=("\${(@)words[depth,-1]}")
  (( CURRENT -= depth - 1 ))
  case "$at" in
${commands.map(specification).join('')}  esac
}
if [ "\${funcstack[1]}" = "_${name}" ]; then
  _${name}
else
  compdef _${name} ${name}
fi
`
}

function specification({ path, commands, options, arguments: args }: CompletedCommand): string {
  const specs = [...options.flatMap(optionSpecs), ...args.map(argumentSpec)]
  if (commands.length === 0) return `    (${quoted(path)}) _arguments -S ${specs.join(' ')} ;;\n`
  const below = commands.map(({ name, description }) => quoted(`${name}:${description}`))
  return `    (${quoted(path)})
      below=(${below.join(' ')})
      _arguments -S ${[...specs, quoted(':command:->command')].join(' ')} || _describe -t commands command below ;;\n`
}

/** One that takes a value may come more than once: the last one counts, or they add up. */
function optionSpecs({ flags, description, values }: CompletedOption): string[] {
  return flags.map((flag) => {
    const [often, ending] = values === null ? ['', ''] : ['*', `:value:${action(values)}`]
    const equals = values !== null && flag.startsWith('--') ? '=' : ''
    return quoted(`${often}${flag}${equals}[${description.replace(/[\\[\]]/g, '\\$&')}]${ending}`)
  })
}

function argumentSpec({ name, required, values }: CompletedArgument): string {
  return quoted(`${required ? ':' : '::'}${name}:${action(values)}`)
}

function action(values: Values): string {
  if (values.kind === 'files') return '_files'
  return values.kind === 'choices' ? `(${values.choices.join(' ')})` : ' '
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
