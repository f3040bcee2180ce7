// First inputs of the native fuzz targets, made of test/vectors: bytes that other programs wrote. How an input is read
// is said in native/fuzz/input.h, segment_case.cc and log_recipe.h.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

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

const OF_TARGET = {
  record: records,
  batch: batches,
  'batch-filter': filtered,
  'offset-index': indexes,
  'time-index': indexes,
}

/** The seeds of a target. */
export const seedsOf = (target) => [...(OF_TARGET[target] ?? logs)()]
