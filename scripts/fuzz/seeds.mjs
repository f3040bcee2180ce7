// First inputs of the native fuzz targets, made of test/vectors: bytes that other programs wrote. How an input is read
// is said in native/fuzz/input.h, segment_case.cc and log_recipe.h.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { crc32 } from 'node:zlib'

const vectors = (name) =>
  JSON.parse(readFileSync(fileURLToPath(new URL(`../../test/vectors/${name}`, import.meta.url))))
const bytes = (hex) => Buffer.from(hex, 'hex')

function short(value) {
  const into = Buffer.alloc(2)
  into.writeUInt16BE(value)
  return into
}
const part = (content) => Buffer.concat([short(content.length), content])
// Steps of a log's recipe: bytes as they are, bytes whose checksum is made right, a right entry, a large one.
const raw = (content) => Buffer.concat([Buffer.of(4), part(content)])
const mended = (content) => Buffer.concat([Buffer.of(5), part(content)])
const entry = (value, kind) => Buffer.concat([Buffer.of(value.length << 4), Buffer.from(value), Buffer.of(kind)])
const large = Buffer.of(11, 200, 3, 1, 2, 3, 0)
const huge = Buffer.of(11, 255, 2, 1, 2, 0)
const compressed = (value) => Buffer.concat([entry(value, 16 | 1), Buffer.of(1)])
const gap = Buffer.of(2, 5, 0)
const wrongChecksum = Buffer.concat([Buffer.of(3 | (2 << 4)), Buffer.from('no'), Buffer.of(0)])

const KAFKA = 1
const SPARSE = 2
const BASE = 4
const EACH_ENTRY = 0
const EACH_100 = 8
const EACH_4096 = 16
const NO_INDEX = Buffer.alloc(0)
const RIGHT_INDEX = Buffer.of(2)
const ALMOST_RIGHT = Buffer.of(3, 5, 7, 12, 255)

function segment(flags, base, index, times, questions, steps) {
  const begin = Buffer.concat([Buffer.of(flags), base])
  return Buffer.concat([begin, part(index), part(times), part(questions), ...steps])
}

function* logs() {
  const { log } = vectors('segment.json')
  const many = [entry('one', 0), entry('two', 4), entry('', 2), wrongChecksum, entry('three', 8), gap, entry('x', 1)]
  const batches = vectors('kafka-batches.json').batches.map(({ stored }) => bytes(stored))
  const anyBase = Buffer.of(0xe1, 0, 0, 3, 0xe8)
  for (const index of [NO_INDEX, RIGHT_INDEX, ALMOST_RIGHT]) {
    for (const questions of [
      Buffer.alloc(0),
      Buffer.of(0, 0, 0, 1, 2, 9, 0, 3, 4, 200, 9, 1, 1, 1, 7, 3, 50),
      Buffer.of(3, 4, 2, 15, 31, 1, 3, 0, 0, 7, 5, 12, 1, 0, 9, 3),
      Buffer.of(29, 2, 1, 0, 2, 0, 1, 3, 4, 2, 8, 1, 3, 255, 1),
      Buffer.of(0, 0, 0, 6, 1, 0, 5, 1, 2, 6, 0xe3, 15, 0, 1, 0, 7, 2),
      // Of compaction: memory for keys, bytes of a run, where it begins and ends, then budgets.
      Buffer.concat([Buffer.of(0, 100, 0xff, 0xff, 0xe7, 0), Buffer.alloc(40, 0xe3)]),
      Buffer.concat([Buffer.of(0, 3, 0, 9, 0, 0), Buffer.alloc(60, 1)]),
    ]) {
      const made = (flags, steps, base = NO_INDEX) => segment(flags, base, index, index, questions, steps)
      yield made(EACH_ENTRY, many)
      yield made(EACH_100 | SPARSE, many)
      yield made(EACH_100 | KAFKA, many)
      yield made(EACH_ENTRY | KAFKA | SPARSE, many)
      yield made(BASE | EACH_100, [raw(bytes(log).subarray(0, 2000))], anyBase)
      yield made(EACH_100, [entry('a', 0), large, entry('b', 0)])
      yield made(EACH_ENTRY, [large, large, large, large, large, entry('a', 0), entry('b', 4)])
      yield made(EACH_ENTRY | SPARSE, [large, gap, large, large, large, large, gap, entry('b', 4)])
      yield made(KAFKA, [entry('a', 0), compressed('v'), entry('b', 1), compressed(''), compressed('w')])
      yield made(KAFKA | SPARSE, [compressed('v'), compressed('v'), gap, compressed('')])
      if (index === RIGHT_INDEX) yield made(KAFKA, [entry('a', 0), huge, entry('b', 0)])
      if (index === RIGHT_INDEX) yield made(EACH_ENTRY, [entry('a', 0), huge, entry('b', 0)])
      yield made(KAFKA, [entry('a', 0), large, entry('b', 0)])
      yield made(KAFKA | SPARSE, batches.slice(0, 6).map(mended))
      yield made(KAFKA, [raw(Buffer.concat(batches.slice(0, 2))), entry('', 0)])
    }
  }
}

/** A whole mykafka record. */
function stored(offset, value) {
  const head = Buffer.alloc(29)
  head.writeBigInt64BE(BigInt(offset))
  head.writeBigInt64BE(1000n, 8)
  head.writeInt32BE(1, 16)
  head.write('k', 20)
  head.writeInt32BE(value.length, 21)
  const covered = Buffer.concat([head.subarray(0, 25), value])
  const crc = Buffer.alloc(4)
  crc.writeUInt32BE(crc32(covered))
  return Buffer.concat([covered, crc])
}

/** The bytes of an index. */
function slots(...entries) {
  const bytes = Buffer.alloc(1 + 8 * entries.length, 1)
  for (const [i, [offset, position]] of entries.entries()) {
    bytes.writeUInt32BE(offset, 1 + 8 * i)
    bytes.writeUInt32BE(position, 5 + 8 * i)
  }
  return bytes
}

const LARGE = 29 + 65_300 + 64 * 200
const fourLarge = [large, large, large, large]
const ALL = 0xe3 // as much as there is
const ask = (offset, bytes, upperBound) =>
  upperBound === undefined ? [0, offset, bytes] : [1, offset, bytes, upperBound]

/** Logs that are known in part, by questions for what lies far behind; then indexes that lead astray come into play. */
function* lookups() {
  const eight = Array.from('abcdefgh', (value) => entry(value, 0))
  const asked = (...questions) => Buffer.of(0, 0, ...questions.flat())
  const made = (flags, index, questions, steps) => segment(flags, NO_INDEX, index, NO_INDEX, questions, steps)
  const gaps = [gap, ...eight.slice(4), gap, ...eight.slice(4)]
  const ends = asked(ask(8, ALL), ask(5, 1), ask(0, ALL), ask(2, 60, 7), ask(0, 200, 6), ask(1, 150), ask(6, 1))
  for (const [n, flags] of [EACH_ENTRY, SPARSE, KAFKA, KAFKA | SPARSE].entries()) {
    // The second slot a byte off; all but the first one gone; the first one gone.
    for (const index of [Buffer.of(3, 15, 1, 23, 2), Buffer.of(3, 8, 0), Buffer.of(3, 11, 3), RIGHT_INDEX]) {
      for (const questions of [asked(ask(0, ALL), ask(5, 1), ask(2, 60, 7), ask(0, 150), ask(1, 150)), ends]) {
        yield made(flags, index, questions, questions === ends ? gaps : eight)
      }
    }
    // Known from far behind, where offsets are missing before it; then all.
    for (const first of [4, 10, 12]) {
      const steps = [...fourLarge, eight[0], gap, ...eight.slice(0, 4)]
      yield made(flags, RIGHT_INDEX, asked(ask(first, 1), ask(first, ALL), ask(0, ALL), ask(4, 1)), steps)
    }
    // The n-th operation fails.
    for (let fault = 1 + n; fault <= 24; fault += 4) {
      const questions = Buffer.of(0, fault, ...[ask(8, ALL), ask(0, 60, 7), ask(5, 1), ask(1, 150)].flat())
      yield made(flags, fault % 8 < 4 ? RIGHT_INDEX : Buffer.of(3, 8, 0), questions, eight)
    }
    // Others cut the file, down to these lengths.
    const cut = Buffer.of(5, 1, 0, 200, 2, 60, 7, ALL)
    for (const length of [0, 70]) {
      yield made(flags, RIGHT_INDEX, Buffer.concat([asked(ask(0, ALL)), Buffer.of(255, 0, length), cut]), eight)
    }
  }
  // A value that holds a record, to which an index leads; and two offsets at one place.
  for (const inner of [6, 7]) {
    const outer = mended(stored(4, Buffer.concat([stored(inner, Buffer.from('v')), Buffer.alloc(9, 7)])))
    const within = 4 * LARGE + 25
    const steps = [...fourLarge, outer, ...eight.slice(0, 5)]
    for (const bytes of [1, 90, ALL]) {
      for (const flags of [EACH_ENTRY, EACH_ENTRY | SPARSE]) {
        const index = slots([0, 0], [1, LARGE], [5, within])
        yield made(flags, index, asked(ask(5, bytes), ask(0, ALL), ask(inner, 1)), steps)
        const twice = slots([0, 0], [4, 4 * LARGE], [5, 4 * LARGE], [9, 4 * LARGE + 5])
        yield made(flags, twice, asked(ask(4, bytes), ask(5, bytes), ask(9, bytes), ask(0, ALL)), steps)
      }
    }
  }
}

/** Starts of segments whose first offsets are missing, from the only slot of an index. */
function* starts() {
  const many = [gap, entry('one', 0), entry('two', 4), gap, entry('x', 1)]
  for (const [n, flags] of [SPARSE, SPARSE | KAFKA, 0, KAFKA].entries()) {
    for (const kind of [0, 1]) {
      yield segment(flags | EACH_4096, NO_INDEX, RIGHT_INDEX, RIGHT_INDEX, Buffer.of(kind, 0, 0, 9, 3, 9, 5, 9), many)
    }
    for (let fault = 1 + n; fault <= 24; fault += 4) {
      const questions = Buffer.of(2 | ((fault >> 2) % 2), 0, fault, 0, 9)
      yield segment(flags | EACH_100, NO_INDEX, RIGHT_INDEX, RIGHT_INDEX, questions, [...many, wrongChecksum])
    }
  }
}

/** Compaction that ends within a segment, or in batches that were handed out; that fills its map by them. */
function* cleanings() {
  const pair = (value, kind = 0) => Buffer.concat([entry(value, 16 | 1 | kind), Buffer.of(1)])
  const plain = entry('p', 1)
  const { batches } = vectors('kafka-batches.json')
  const marked = batches.slice(0, 8).map(({ stored: hex }) => {
    const batch = bytes(hex)
    if ((batch[22] & 7) === 0) batch[22] |= 1
    return mended(batch)
  })
  const keyed = [entry('a', 0), entry('b', 4), gap, entry('c', 8), entry('a', 0), entry('b', 4)]
  const lists = [
    [plain, pair('v'), plain, entry('q', 32 | 1), pair('w', 32), plain, pair('x')],
    [pair('v'), plain, pair('w', 64), pair('', 32), plain, compressed('u'), entry('z', 128 | 1), plain],
    keyed,
    marked,
  ]
  // Memory for keys, bytes of a run, where it ends, and how much is read and answered at once.
  const ways = [
    [100, 0xff, [0], ALL],
    [100, 0xff, [0], 200],
    [100, 0xff, [1, 2], 200],
    [100, 1, [1, 5], ALL],
    [0, 0xff, [0], 200],
    [1, 0, [1, 5], ALL],
  ]
  for (const steps of lists) {
    for (const sparse of [0, SPARSE]) {
      for (const [map, run, to, call] of ways) {
        const begin = Buffer.of(0, map, run, 0xff, 0xe7, ...to)
        const flags = sparse | (steps === keyed ? 0 : KAFKA)
        yield segment(flags, NO_INDEX, NO_INDEX, NO_INDEX, Buffer.concat([begin, Buffer.alloc(40, call)]), steps)
      }
    }
  }
  const questions = Buffer.concat([Buffer.of(0, 100, 0, 0, 0xe7, 0), Buffer.alloc(40, ALL)])
  const longer = Buffer.of(11, 254, 2, 1, 2, 0)
  for (const flags of [0, KAFKA]) {
    yield segment(flags, NO_INDEX, NO_INDEX, NO_INDEX, questions, [entry('a', 0), longer, entry('b', 4), longer])
  }
}

const AS_THEY_ARE = 1
/** Packed records, of keys and values with their lengths. */
const packed = (timestamp, ...fields) =>
  Buffer.concat([Buffer.of((fields.length / 2) << 4, timestamp), ...fields.map((field) => Buffer.from(field))])

function* appends() {
  const field = (text) => [text.length, ...Buffer.from(text)]
  const [none, longest, longer] = [[255], [242, 7], [250, 9]] // none, 64 KiB, more
  const small = packed(9, field('a'), field('one'), none, field('two'), field('b'), none)
  const one = (flags, ...sent) => Buffer.concat([Buffer.of(flags), ...sent])
  const changes = [[], [3, 1], [4, 1, 5, 3], [0, 128], [3, 2], [12, 7]]
  const lists = [
    small,
    packed(8, field('a'), longest, longer, field('v'), longer, longer, none, none),
    packed(0xe7, none, longer),
    Buffer.of(0, 0),
    Buffer.concat([Buffer.of(AS_THEY_ARE, 5), part(bytes('0000000161ffffffff')), Buffer.of(1)]),
    Buffer.concat([Buffer.of(AS_THEY_ARE, 5), part(bytes('0000000161ffffffff00')), Buffer.of(1)]),
    Buffer.concat([Buffer.of(AS_THEY_ARE, 5), part(bytes('0000000961ffffffff')), Buffer.of(1)]),
    Buffer.concat([Buffer.of(AS_THEY_ARE, 5), part(bytes('fffffffffffffffe')), Buffer.of(1)]),
  ]
  for (const sent of lists) {
    for (const flags of [0, 4, 12]) {
      yield one(flags, flags & 8 ? Buffer.of(9) : NO_INDEX, Buffer.of(0), sent, Buffer.of(1), small, sent)
    }
    for (const change of changes) yield one(2, sent, Buffer.from(change))
  }
  for (const { sent } of vectors('kafka-batches.json').batches) {
    const batch = (how, timestamp) => Buffer.concat([Buffer.of(how, timestamp), part(bytes(sent)), Buffer.of(1)])
    yield one(1, Buffer.of(0), batch(0, 0xe7), Buffer.of(1), batch(1, 9), batch(2, 9), Buffer.of(0), batch(0, 9))
    for (const change of changes) yield one(3, batch(0, 9), Buffer.from(change))
  }
}

function* records() {
  for (const { bytes: stored, offset } of vectors('records.json')) {
    const whole = bytes(stored)
    yield Buffer.concat([Buffer.of(0), whole])
    if (Number(offset) < 0xe0) {
      yield Buffer.concat([Buffer.of(2 | (1 << 3)), Buffer.of(Number(offset), 7), whole.subarray(16, -4)])
    }
  }
  // A key and a value that are too long, of which the room has enough.
  yield Buffer.concat([Buffer.of(1 | (1 << 3), 0, 0, 0xec), bytes('0100000a')])
  yield Buffer.concat([Buffer.of(1 | (1 << 3), 0, 0, 0xe3), bytes('0100000a')])
  yield Buffer.concat([Buffer.of(1 | (1 << 3), 0, 0, 0xe3), bytes('ffffffff40000000')])
}

function* batches() {
  for (const { sent } of vectors('kafka-batches.json').batches) {
    for (const kind of [0, 1]) yield Buffer.concat([Buffer.of(kind, 42, 7), bytes(sent)])
  }
}

function* filtered() {
  const left = vectors('kafka-cleaned-batches.json').vectors
  const known = part(Buffer.of(1, 97, 1, 1, 98, 9))
  for (const { source } of left) {
    yield Buffer.concat([Buffer.of(0xe5, 9, 100), known, mended(bytes(source).subarray(0, 3000))])
  }
  const { batches: sent } = vectors('kafka-batches.json')
  for (const { stored } of sent) yield Buffer.concat([Buffer.of(100, 9, 5), known, raw(bytes(stored))])
}

function* indexes() {
  const { index } = vectors('segment.json')
  const file = bytes(index ?? '0000000000000000000000030000100a').subarray(0, 400)
  const steps = Buffer.of(0, 3, 1, 9, 1, 30, 6, 5, 6, 200, 2, 1, 3, 0, 7, 0, 4, 0, 69, 0, 0, 9)
  for (const kind of [0, 1, 3, 5]) {
    yield Buffer.concat([Buffer.of(kind), part(file), Buffer.of(16), short(900), part(Buffer.of(9, 0xe3)), steps])
    const made = part(Buffer.of(0, 9, 130, 20, 200, 20, 255, 50, 1, 3))
    yield Buffer.concat([Buffer.of(kind), part(file), Buffer.of(13), short(900), made, steps])
  }
}

function* all(...generators) {
  for (const each of generators) yield* each()
}

const OF_TARGET = {
  append: appends,
  clean: () => all(logs, cleanings),
  lookup: () => all(logs, lookups),
  recovery: () => all(logs, starts),
  record: records,
  batch: batches,
  'batch-filter': filtered,
  'offset-index': indexes,
  'time-index': indexes,
}

/** The seeds of a target. */
export const seedsOf = (target) => [...(OF_TARGET[target] ?? logs)()]
