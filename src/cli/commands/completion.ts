import { Argument, type Command } from 'commander'
import { createCommand, examples } from '../command-line.js'
import { Output } from '../output.js'

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

/**
 * `mykafka completion`
 *
 * @param loadProgram - all of the command
 */
export function completionCommand(loadProgram: () => Promise<Command>): Command {
  return createCommand('completion')
    .description('Print what makes a shell complete commands, options and file names.')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText(
      'after',
      examples(
        'mykafka completion bash > ~/.local/share/bash-completion/completions/mykafka',
        'mykafka completion zsh > ~/.zfunc/_mykafka',
        'mykafka completion fish > ~/.config/fish/completions/mykafka.fish',
      ),
    )
    .action(async (shell: Shell) => {
      const { commandTree } = await import('../completion/command-tree.js')
      await new Output().write((await script(shell))(commandTree(await loadProgram())))
    })
}

async function script(shell: Shell) {
  switch (shell) {
    case 'bash':
      return (await import('../completion/bash.js')).bashCompletion
    case 'zsh':
      return (await import('../completion/zsh.js')).zshCompletion
    case 'fish':
      return (await import('../completion/fish.js')).fishCompletion
  }
}
