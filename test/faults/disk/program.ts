/** Lives the lives that it is told to, in a process that the recorder is loaded into. */
import { openSync, writeFileSync, writeSync } from 'node:fs'
import { constants } from 'node:os'
import { BrokerLife } from './broker-life.js'
import { LogLife } from './log-life.js'
import type { Mark } from './marks.js'
import type { RecordAnswer, RecordTask } from './recorder.js'

const [control = '', trace = ''] = process.argv.slice(2)
writeFileSync(control, '')
// Opened by the recorder's own eyes: what is written into it is told to it.
const recorder = openSync(control, 'w')
const say = (text: string): void => void writeSync(recorder, text)
const tell = (mark: Mark): void => say(JSON.stringify(mark))

const broken = (error: unknown): void =>
  tell({ mark: 'broken', message: error instanceof Error ? `${error.stack}` : String(error) })
process.on('unhandledRejection', broken)
process.on('uncaughtException', broken)

async function run({ fault, ...task }: RecordTask): Promise<void> {
  say(`!begin\n${task.directory}\n${trace}`)
  try {
    if (fault !== null) {
      const { call, skip, count, errno, short } = fault
      say(`!fault\n${call}\n${skip}\n${count}\n${constants.errno[errno]}\n${short ? 'short' : 'whole'}`)
    }
    const life = task.settings.kind === 'log' ? new LogLife(task, tell) : new BrokerLife(task, tell)
    await life.run()
  } finally {
    say('!well')
    say('!end')
  }
}

process.on('message', (task: RecordTask) => {
  run(task).then(
    () => process.send?.({ failure: null } satisfies RecordAnswer),
    (error: unknown) => process.send?.({ failure: error instanceof Error ? `${error.stack}` : String(error) }),
  )
})
