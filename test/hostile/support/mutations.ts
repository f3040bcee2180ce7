import type { Random } from '../../support/seeded-random.js'
import type { Conversation } from './corpus.js'

/** What a field may say that lies. */
const INT32S = [-1, -2, 0, 1, 2 ** 31 - 1, -(2 ** 31), 0x7fff, 0x10000, 104857600, 104857601]
const INT16S = [-1, -2, 0, 1, 0x7fff, -0x8000, 250]
const BYTES = [0, 1, 0x7f, 0x80, 0xff]
/** Varints that go on and on, that are large, and that have no end. */
const VARINTS = ['ffffffff0f', 'ffffffffffffffffff01', '8080808080808080808000', 'ffffffff07', '8000']
const NO_UTF8 = ['ff', 'c080', 'eda080', 'f8888080', 'e28280fe', '1b5b324a', '0d0a', '00', 'e280ae']
/** Beyond which bytes are no longer inserted. */
const LONGEST = 4 << 20

type Mutation = (frame: Buffer, random: Random, conversation: Conversation) => Buffer

function at(frame: Buffer, random: Random, width = 1): number {
  // Beginnings are where lengths and counts are.
  const near = random.next() < 0.5 ? Math.min(frame.length, 64) : frame.length
  return random.integer(0, Math.max(0, near - width))
}

function insert(frame: Buffer, place: number, bytes: Buffer, replaced = 0): Buffer {
  return Buffer.concat([frame.subarray(0, place), bytes, frame.subarray(Math.min(frame.length, place + replaced))])
}

const MUTATIONS: readonly Mutation[] = [
  function flipped(frame, random) {
    for (let flips = random.integer(1, 8); flips > 0; flips--) {
      const place = at(frame, random)
      frame[place] = (frame[place] ?? 0) ^ (1 << random.integer(0, 7))
    }
    return frame
  },
  function overwritten(frame, random) {
    const place = at(frame, random)
    frame.fill(random.pick(BYTES), place, Math.min(frame.length, place + random.integer(1, 8)))
    return frame
  },
  function cut(frame, random) {
    return Buffer.from(frame.subarray(0, random.integer(1, frame.length)))
  },
  function repeated(frame, random) {
    const from = at(frame, random)
    const part = frame.subarray(from, from + random.integer(1, 200))
    const times = random.pick([1, 2, 10, 1000])
    if (frame.length + part.length * times > LONGEST) return frame
    return insert(frame, from, Buffer.concat(Array(times).fill(part)))
  },
  function lyingInt32(frame, random) {
    if (frame.length >= 8) frame.writeInt32BE(random.pick(INT32S), at(frame, random, 4))
    return frame
  },
  function lyingInt16(frame, random) {
    if (frame.length >= 8) frame.writeInt16BE(random.pick(INT16S), at(frame, random, 2))
    return frame
  },
  function lyingVarint(frame, random) {
    return insert(frame, at(frame, random), Buffer.from(random.pick(VARINTS), 'hex'), random.integer(0, 2))
  },
  function noText(frame, random) {
    const bytes = Buffer.from(random.pick(NO_UTF8), 'hex')
    return insert(frame, at(frame, random), bytes, bytes.length)
  },
  function spliced(frame, random, conversation) {
    const other = random.pick(conversation)
    return insert(frame, at(frame, random), other.subarray(at(other, random)), frame.length)
  },
  function inserted(frame, random) {
    return insert(frame, at(frame, random), random.bytes(random.integer(1, 64)))
  },
]

/** How often the length in front is made right again: what is behind it is looked at then. */
const REFRAMED = 0.85

/** A frame that lies, most often in one place. */
export function mutate(frame: Buffer, random: Random, conversation: Conversation): Buffer {
  let mutated: Buffer = Buffer.from(frame)
  for (let times = random.pick([1, 1, 1, 2, 4]); times > 0; times--) {
    mutated = random.pick(MUTATIONS)(mutated, random, conversation)
  }
  if (mutated.length > 4 && random.next() < REFRAMED) mutated.writeInt32BE(mutated.length - 4, 0)
  return mutated
}

/** A conversation of which some frames lie, some come twice and some are missing. */
export function mutateConversation(conversation: Conversation, random: Random, length: number): Buffer[] {
  const start = random.integer(0, conversation.length - 1)
  return Array.from({ length: Math.min(length, conversation.length) }, (_, i) => {
    const frame = conversation[(start + i) % conversation.length] as Buffer
    const kind = random.next()
    if (kind < 0.1) return [frame, frame]
    if (kind < 0.15) return []
    return [kind < 0.3 ? frame : mutate(frame, random, conversation)]
  }).flat()
}
