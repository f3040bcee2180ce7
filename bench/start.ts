import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { encodePacked } from '../src/log/record-codec.js'
import { encodeRequest as encodeCreateTopic } from '../src/wire/mykafka/create-topic.js'
import { encodeRequest as encodeProduce } from '../src/wire/mykafka/produce.js'
import type { Aim, Benchmark, Report } from './benchmark.js'
import { FrameClient } from './support/frame-client.js'
import { interleave, median, quantile, round } from './support/statistics.js'
import { withTemporaryDirectory } from './support/temporary.js'

const COMMAND = fileURLToPath(new URL('../bin/mykafka.js', import.meta.url))
const TOPIC = 'bench'
const CREATE_RESPONSE_BYTES = 6
const PRODUCE_RESPONSE_BYTES = 22
const IDLE_MS = 1500
const MIB = 1 << 20

const AIMS = { startMs: 100, rssMiB: 15 }

/** The least that a Node process is: a timer, or a server that listens. */
const IDLE_NODE = 'setInterval(() => {}, 1 << 30); console.log("listening on 127.0.0.1:0")'
const LISTENING_NODE = `
  const server = require('node:net').createServer((socket) => socket.on('data', () => socket.write(Buffer.alloc(22))))
  server.listen(0, '127.0.0.1', () => console.log('listening on 127.0.0.1:' + server.address().port))`

const produceFrame = encodeProduce(TOPIC, 0, 1, encodePacked([{ key: 'key', value: 'value' }]))

interface Started {
  readonly child: ChildProcess
  readonly port: number
  readonly listeningMs: number
  readonly begin: number
}

async function launch(args: string[]): Promise<Started> {
  const begin = performance.now()
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  const port = await new Promise<number>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`${args.join(' ')} ended:\n${output}`)))
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text
      const found = /listening on 127\.0\.0\.1:(\d+)/.exec(output)
      if (found !== null) resolve(Number(found[1]))
    })
  })
  return { child, port, listeningMs: performance.now() - begin, begin }
}

async function stop({ child }: Started): Promise<void> {
  child.removeAllListeners('exit')
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}

interface Timing {
  readonly listeningMs: number
  /** To the first answer. */
  readonly answeredMs: number
}

async function timeBroker(dataDir: string, topicIsNew: boolean): Promise<Timing> {
  const started = await launch([COMMAND, 'serve', '--data-dir', dataDir, '--port', '0'])
  const client = await FrameClient.connect(started.port)
  if (topicIsNew) await client.request(encodeCreateTopic(TOPIC, 1), CREATE_RESPONSE_BYTES)
  await client.request(produceFrame, PRODUCE_RESPONSE_BYTES)
  const answeredMs = performance.now() - started.begin
  client.close()
  await stop(started)
  return { listeningMs: started.listeningMs, answeredMs }
}

async function timeListeningNode(): Promise<Timing> {
  const started = await launch(['-e', LISTENING_NODE])
  const client = await FrameClient.connect(started.port)
  await client.request(produceFrame, PRODUCE_RESPONSE_BYTES)
  const answeredMs = performance.now() - started.begin
  client.close()
  await stop(started)
  return { listeningMs: started.listeningMs, answeredMs }
}

async function timeExit(): Promise<Timing> {
  const begin = performance.now()
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit')
  const milliseconds = performance.now() - begin
  return { listeningMs: milliseconds, answeredMs: milliseconds }
}

function rssMiB(pid: number): number {
  return (Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)])) * 1024) / MIB
}

/** Megabytes in memory of a process that has had nothing to do for a while. */
async function measureIdle(args: string[]): Promise<number> {
  const started = await launch(args)
  await sleep(IDLE_MS)
  const rss = rssMiB(started.child.pid as number)
  await stop(started)
  return rss
}

async function timings(directory: string, quick: boolean) {
  const existing = join(directory, 'existing')
  await timeBroker(existing, true)
  let fresh = 0
  return await interleave(
    {
      'node -e 0, to its exit': timeExit,
      'bare Node that listens': timeListeningNode,
      'broker, a new data directory': async () => {
        const dataDir = join(directory, `fresh-${fresh++}`)
        const timing = await timeBroker(dataDir, true)
        await rm(dataDir, { recursive: true })
        return timing
      },
      'broker, behind a clean stop': () => timeBroker(existing, false),
    },
    quick ? { rounds: 2, warmups: 1 } : { rounds: 21, warmups: 3 },
  )
}

async function memory(directory: string, quick: boolean) {
  const dataDir = join(directory, 'existing')
  return await interleave(
    {
      'bare Node with a timer': () => measureIdle(['-e', IDLE_NODE]),
      'bare Node that listens': () => measureIdle(['-e', LISTENING_NODE]),
      broker: () => measureIdle([COMMAND, 'serve', '--data-dir', dataDir, '--port', '0']),
    },
    quick ? { rounds: 1, warmups: 0 } : { rounds: 5, warmups: 0 },
  )
}

async function runIn(directory: string, quick: boolean): Promise<Report> {
  const times = await timings(directory, quick)
  const idle = await memory(directory, quick)
  const answered = (name: keyof typeof times): number => median(times[name].map(({ answeredMs }) => answeredMs))
  const bare = median(idle['bare Node with a timer'])
  const broker = median(idle.broker)
  const aims: Aim[] = (['broker, a new data directory', 'broker, behind a clean stop'] as const).map((name) => ({
    aim: `${name}: first PRODUCE acknowledged under ${AIMS.startMs} ms`,
    measured: `${round(answered(name))} ms; bare Node that listens ${round(answered('bare Node that listens'))} ms`,
    met: answered(name) < AIMS.startMs,
  }))
  aims.push({
    aim: `idle RSS within ${AIMS.rssMiB} MiB of bare Node`,
    measured: `${round(broker - bare)} MiB more (${round(broker)} against ${round(bare)})`,
    met: broker - bare <= AIMS.rssMiB,
  })
  return {
    settings: { idleMs: IDLE_MS, fsync: 'acks' },
    tables: [
      {
        title: 'From the start of the process',
        columns: ['process', 'listening ms', 'first answer ms', 'p90 ms', 'more than bare Node that listens'],
        rows: (Object.keys(times) as (keyof typeof times)[]).map((name) => [
          name,
          round(median(times[name].map(({ listeningMs }) => listeningMs))),
          round(answered(name)),
          round(
            quantile(
              times[name].map(({ answeredMs }) => answeredMs),
              0.9,
            ),
          ),
          round(answered(name) - answered('bare Node that listens')),
        ]),
      },
      {
        title: `Idle for ${IDLE_MS} ms`,
        columns: ['process', 'RSS MiB', 'more than a timer'],
        rows: (Object.keys(idle) as (keyof typeof idle)[]).map((name) => [
          name,
          round(median(idle[name])),
          round(median(idle[name]) - bare),
        ]),
      },
    ],
    aims,
  }
}

export const start: Benchmark = {
  question:
    'How long from the start of the process to the first PRODUCE acknowledged, and what does an idle broker hold?',
  run: ({ quick }) => withTemporaryDirectory((directory) => runIn(directory, quick)),
}
