import type { Argument, Command, Option } from 'commander'

/** What a value can be completed to. */
export type Values =
  | { readonly kind: 'files' | 'anything' }
  | { readonly kind: 'choices'; readonly choices: readonly string[] }

/** An option of a command. */
export interface CompletedOption {
  /** `--help` and `-h`. */
  readonly flags: readonly string[]
  readonly description: string
  /** Null where it takes none. */
  readonly values: Values | null
}

/** An argument of a command. */
export interface CompletedArgument {
  readonly name: string
  readonly required: boolean
  readonly values: Values
}

/** A command, as far as its completion goes. */
export interface CompletedCommand {
  /** What is typed to get there, such as `/topics/create`; empty for the program itself. */
  readonly path: string
  readonly name: string
  readonly description: string
  /** Those below it. One that has some takes no arguments. */
  readonly commands: readonly CompletedCommand[]
  readonly options: readonly CompletedOption[]
  readonly arguments: readonly CompletedArgument[]
}

/** Placeholders of what is a file or a directory. */
const FILES = /^(file|dir|directory|path)$/i

/** What commander knows of a command and those below it. */
export function commandTree(command: Command, path = ''): CompletedCommand {
  return {
    path,
    name: command.name(),
    description: command.description(),
    commands: command.commands.map((each) => commandTree(each, `${path}/${each.name()}`)),
    options: command.createHelp().visibleOptions(command).map(describeOption),
    arguments: command.registeredArguments.map(describeArgument),
  }
}

/** The command and all below it. */
export function allCommands(command: CompletedCommand): CompletedCommand[] {
  return [command, ...command.commands.flatMap(allCommands)]
}

function describeOption({ long, short, flags, description, required, optional, argChoices }: Option): CompletedOption {
  const placeholder = /[<[]([^\]>]+)[\]>]/.exec(flags)?.[1] ?? ''
  return {
    flags: [long, short].filter((flag) => flag !== undefined && flag !== null),
    description,
    values: required || optional ? valuesOf(placeholder, argChoices) : null,
  }
}

function describeArgument(argument: Argument): CompletedArgument {
  const { required, argChoices } = argument
  return { name: argument.name(), required, values: valuesOf(argument.name(), argChoices) }
}

function valuesOf(placeholder: string, choices: readonly string[] | undefined): Values {
  if (choices !== undefined) return { kind: 'choices', choices }
  return { kind: FILES.test(placeholder) ? 'files' : 'anything' }
}
