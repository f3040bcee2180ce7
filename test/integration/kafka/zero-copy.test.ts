import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { zeroCopy } from '../../support/broker.js'
import { BrokerProcess } from '../../support/broker-process.js'
import { canInject } from '../../support/injected-fault.js'
import { fetch, makeTopic, produce, sentBatch } from '../../support/kafka-calls.js'
import { KafkaPeer } from '../../support/kafka-peer.js'
import { temporaryDirectory } from '../../support/temporary.js'
import { tracedCalls, tracing } from '../../support/traced-calls.js'

const READS = ['read', 'readv', 'pread64', 'preadv', 'preadv2']
const WRITES = ['write', 'writev', 'sendto', 'sendmsg']
/** What is left of a slice when the socket was full is copied where it is less than this. */
const COPIED_BYTES = 32 << 10
/** What an answer has beside its records, and what a lookup reads of the log: entries of one index interval. */
const HEAD_BYTES = 1000
const LOOKUP_BYTES = 64 << 10

const path = zeroCopy ? 'goes from the file to the socket by sendfile' : 'is copied where zero-copy is off'

describe.runIf(canInject)('traced by its system calls', () => {
  it(`a Kafka fetch of stored batches ${path}`, { timeout: 60_000 }, async () => {
    const directory = await temporaryDirectory()
    const output = join(directory, 'trace')
    const broker = await BrokerProcess.start({
      dataDir: join(directory, 'data'),
      args: ['--zero-copy', zeroCopy ? 'on' : 'off'],
      under: tracing(['sendfile', ...READS, ...WRITES], output),
    })
    const peer = await KafkaPeer.connect(broker.port)
    await makeTopic(peer, 't')
    const batch = sentBatch('60 records')
    for (let i = 0; i < 400; i++) await produce(peer, 't', batch)
    const before = (await tracedCalls(output)).length
    const [partition] = await fetch(peer, { topic: 't', offset: 0, maxBytes: 8 << 20 }, { maxBytes: 8 << 20 })
    const records = partition?.records.length as number
    expect(records).toBe(400 * batch.length)
    await broker.stop()

    const calls = (await tracedCalls(output)).slice(before)
    const bytes = (names: string[], about: RegExp): number =>
      calls
        .filter(({ name, args, result }) => names.includes(name) && about.test(args) && result > 0)
        .reduce((sum, { result }) => sum + result, 0)
    const sent = bytes(['sendfile'], /<(socket|TCP)[^>]*>, \d+<[^>]*\/t\/0\/\d+\.log>/)
    if (zeroCopy) expect(sent).toBeGreaterThan(records - COPIED_BYTES)
    else expect(sent).toBe(0)
    expect(sent).toBeLessThanOrEqual(records)
    expect(bytes(WRITES, /^\d+<(socket|TCP)/)).toBeLessThan(HEAD_BYTES + records - sent)
    expect(bytes(READS, /\.log>/)).toBeLessThan(LOOKUP_BYTES + records - sent)
  })
})
