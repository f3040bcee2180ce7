import { allCommands, type CompletedCommand, type Values } from './command-tree.js'

/** Completion by fish. */
export function fishCompletion(program: CompletedCommand): string {
  const { name } = program
  const commands = allCommands(program)
  const paths = commands.map(({ path }) => path).filter((path) => path !== '')
  return `# Completion of ${name} by fish: ${name} completion fish | source
function __${name}_at
  set -l at ''
  set -l typed (commandline -opc)
  for word in $typed[2..-1]
    contains -- "$at/$word" ${paths.join(' ')}; or break
    set at "$at/$word"
  end
  test "$at" = "$argv[1]"
end
complete -c ${name} -e
complete -c ${name} -f
${commands.flatMap((command) => completions(name, command)).join('')}`
}

function completions(program: string, { path, commands, options, arguments: args }: CompletedCommand): string[] {
  const start = `complete -c ${program} -n ${quoted(`__${program}_at ${quoted(path)}`)}`
  const lines = [
    ...commands.map(({ name, description }) => `${start} -a ${name} -d ${quoted(description)}`),
    ...options.map(({ flags, description, values }) => {
      const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`))
      return `${start} ${names.join(' ')}${parameterOf(values)} -d ${quoted(description)}`
    }),
  ]
  const values = args[0]?.values
  if (values?.kind === 'files') lines.push(`${start} -F`)
  if (values?.kind === 'choices') lines.push(`${start} -a ${quoted(values.choices.join(' '))}`)
  return lines.map((line) => `${line}\n`)
}

function parameterOf(values: Values | null): string {
  if (values === null) return ''
  if (values.kind === 'files') return ' -r -F'
  return values.kind === 'choices' ? ` -x -a ${quoted(values.choices.join(' '))}` : ' -x'
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}
