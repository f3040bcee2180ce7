/** Speaks what the other client programs speak, and has kcat do the work. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { decode, emit, encode, exit, main, onCommands, Positions } from '../node/protocol.mjs'

/** What kcat finds between key and value, and behind a record. No record here holds them. */
const KEY_END = '<-key-ends->'
const RECORD_END = '<-record-ends->'

async function run(args, input = '') {
  const child = spawn('kcat', args, { stdio: ['pipe', 'ignore', 'pipe'] })
  let output = ''
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  if (code !== 0 || /ERROR|Failed/.test(output)) throw new Error(`kcat ${args.join(' ')} failed (${code}):\n${output}`)
}

/** Records in a row that one call of kcat can write: of one partition, with the same headers, all with keys or none. */
function runsOf(records) {
  const kind = ({ partition, headers = [], key }) => JSON.stringify([partition, headers, key === null])
  const runs = []
  for (const record of records) {
    if (runs.length > 0 && kind(runs.at(-1)[0]) === kind(record)) runs.at(-1).push(record)
    else runs.push([record])
  }
  return runs
}

async function produceRun(bootstrap, { topic, codec = 'none', acks = -1, idempotent = false }, records) {
  const [{ partition, headers = [], key }] = records
  const args = ['-P', '-b', bootstrap, '-t', topic, '-p', String(partition), '-z', codec, '-D', RECORD_END, '-Z']
  const settings = [`acks=${acks}`, `enable.idempotence=${idempotent}`, 'linger.ms=20']
  args.push(...settings.flatMap((setting) => ['-X', setting]))
  // Without "=" the header's value is null.
  for (const [name, value] of headers) args.push('-H', value === null ? name : `${name}=${decode(value)}`)
  if (key !== null) args.push('-K', KEY_END)
  const parts = records.flatMap((record) => [
    ...(record.key === null ? [] : [decode(record.key), Buffer.from(KEY_END)]),
    ...(record.value === null ? [] : [decode(record.value)]),
    Buffer.from(RECORD_END),
  ])
  await run(args, Buffer.concat(parts))
}

/** Its JSON escapes control characters and leaves all other bytes as they are: text of Latin-1, not of UTF-8. */
function record(line) {
  const { topic, partition, offset, ts, key, payload, headers } = JSON.parse(line)
  const bytes = (text) => (text === null || text === undefined ? null : encode(Buffer.from(text, 'latin1')))
  const list = []
  for (let at = 0; at < (headers?.length ?? 0); at += 2) {
    list.push([Buffer.from(headers[at], 'latin1').toString(), bytes(headers[at + 1])])
  }
  const position = { topic, partition, offset, timestamp: ts }
  return { event: 'record', ...position, key: bytes(key), value: bytes(payload), headers: list }
}

/** Calls with each whole line of a stream. */
function onLines(stream, each) {
  let rest = ''
  stream.setEncoding('latin1').on('data', (text) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()
    lines.forEach(each)
  })
}

await main({
  async version() {
    const { stdout, stderr } = await promisify(execFile)('kcat', ['-V'])
    const [, version, library] = /Version (\S+) .*librdkafka (\S+)/.exec(stdout + stderr)
    emit({ event: 'version', version: `${version} (librdkafka ${library})` })
  },

  async produce(bootstrap, { batches }) {
    for (const batch of batches) {
      for (const records of runsOf(batch.records)) await produceRun(bootstrap, batch, records)
      // It does not tell offsets.
      emit({ event: 'produced', topic: batch.topic, offsets: null })
    }
  },

  async consume(bootstrap, { topics }) {
    for (const [topic, count] of Object.entries(topics)) {
      const child = spawn('kcat', ['-C', '-b', bootstrap, '-t', topic, '-o', 'beginning', '-c', String(count), '-J'])
      child.stderr.pipe(process.stderr)
      onLines(child.stdout, (line) => emit(record(line)))
      const [code] = await once(child, 'close')
      if (code !== 0) throw new Error(`kcat ended with ${code}`)
    }
  },

  async member(bootstrap, { topic, group, reset, sessionTimeoutMs = 6000 }) {
    const settings = [
      `auto.offset.reset=${reset}`,
      `session.timeout.ms=${sessionTimeoutMs}`,
      'heartbeat.interval.ms=200',
      'enable.auto.commit=true',
    ]
    const args = ['-b', bootstrap, '-J', '-u', ...settings.flatMap((setting) => ['-X', setting]), '-G', group, topic]
    const child = spawn('kcat', args)
    const positions = new Positions()
    onLines(child.stdout, (line) => {
      const read = record(line)
      positions.consumed(read.partition, read.offset)
      emit(read)
    })
    onLines(child.stderr, (line) => {
      process.stderr.write(`${line}\n`)
      if (!/ rebalanced /.test(line)) return
      const assigned = / assigned: (.*)$/.exec(line)?.[1] ?? ''
      positions.assigned([...assigned.matchAll(/\[(\d+)\]/g)].map(([, partition]) => Number(partition)))
    })
    const ended = once(child, 'close')
    ended.then(([code]) => exit(code ?? 1))
    await onCommands(async (command) => {
      // It commits by itself, from time to time and when it leaves.
      if (command === 'commit') positions.committed()
      if (command !== 'leave') return
      child.kill('SIGTERM')
      await ended
    })
  },
})
