import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { bashCompletion } from '../../src/cli/completion/bash.js'
import { allCommands, commandTree } from '../../src/cli/completion/command-tree.js'
import { fishCompletion } from '../../src/cli/completion/fish.js'
import { zshCompletion } from '../../src/cli/completion/zsh.js'
import { wholeProgram } from '../../src/cli/program.js'
import { temporaryDirectory } from '../support/temporary.js'

/** What is typed, as bash cuts it, and what it is completed to. */
const TYPED: [words: string[], completions: string[]][] = [
  [['top'], ['topics']],
  [
    ['topics', ''],
    ['create', 'list', 'describe', 'alter', 'delete'],
  ],
  [['topics', 'cr'], ['create']],
  [['topics', 'create', 'list', '--part'], ['--partitions']],
  [['topics', 'create', '--partitions', ''], []],
  [['produce', 't', '--partitioner', 'j'], ['java-hash']],
  [['produce', 't', '--partitioner', '=', 'm'], ['murmur2']],
  [
    ['produce', 't', '--partitioner', '='],
    ['murmur2', 'java-hash'],
  ],
  [
    ['groups', 'reset-offsets', 'g', '--to-'],
    ['--to-earliest', '--to-latest', '--to-current', '--to-offset', '--to-datetime'],
  ],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish'],
  ],
  // File names are bash's own.
  [['serve', '--config', 'no'], []],
]

test('bash completes commands, options and values', async () => {
  const script = bashCompletion(commandTree(await wholeProgram()))
  const ask = TYPED.map(([words]) => {
    const quoted = words.map((word) => `'${word}'`).join(' ')
    return `COMP_WORDS=(mykafka ${quoted}); COMP_CWORD=${words.length}; _mykafka; echo "\${COMPREPLY[*]}"\n`
  })
  const file = join(await temporaryDirectory(), 'completion.bash')
  await writeFile(file, `set -u\n${script}\n${script}\n${ask.join('')}`)
  const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', file])
  expect(stderr).toBe('')
  const completed = stdout.split('\n').slice(0, -1)
  expect(completed).toEqual(TYPED.map(([, completions]) => completions.join(' ')))
})

test.each([bashCompletion, zshCompletion, fishCompletion])(
  '%o tells of every command, and of every option',
  async (completion) => {
    const tree = commandTree(await wholeProgram())
    const script = completion(tree)
    for (const { path, options } of allCommands(tree)) {
      expect(script).toContain(path)
      for (const { flags } of options) for (const flag of flags) expect(script).toContain(flag.replace(/^-+/, ''))
    }
  },
)
