import { afterEach, it } from 'vitest'
import { native } from '../../../src/native/load.js'
import { converseAndRestart } from './scenarios/model.js'

afterEach(() => native.setOpenFileLimit(1024))

it.each([
  { what: 'tiny segments', segmentBytes: 4096, openFiles: 1024 },
  { what: 'tiny segments of which one may be open', segmentBytes: 2048, openFiles: 1 },
  { what: 'segments larger than what is written', segmentBytes: 1 << 30, openFiles: 2 },
])(
  'answers as it must for long, many peers at once and restarts in between: $what',
  async ({ segmentBytes, openFiles }) => {
    await converseAndRestart({ segmentBytes }, openFiles, 30)
  },
  180_000,
)
