/** A broker as a process of its own, which tells about itself when it is asked: see child-broker.ts. */
import { readdirSync, readlinkSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { native } from '../../src/native/load.js'
import { Broker } from '../../src/server/broker.js'
import type { Answers, Question } from './child-broker.js'

const delays = monitorEventLoopDelay({ resolution: 1 })
delays.enable()
/** `level: message` of each line. What belongs to it is let go, as by any log: an error keeps what its stack was about. */
const messages: string[] = []
const at = (level: string) => (_: object, message: string) => void messages.push(`${level}: ${message}`)
const logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
const broker = await Broker.start({ logger, ...JSON.parse(process.argv[2] as string) })

function descriptors(): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)]
    } catch {
      return [] // the listing's own
    }
  })
}

const ANSWERS: { [Q in Question]: () => Answers[Q] | Promise<Answers[Q]> } = {
  figures: () => ({
    connections: broker.connectionCount,
    descriptors: descriptors(),
    rss: process.memoryUsage.rss(),
    peakRss: process.resourceUsage().maxRSS * 1024,
  }),
  eventLoopDelay: () => {
    const milliseconds = (nanoseconds: number): number => Math.round(nanoseconds / 1e5) / 10
    const measured = { p50: milliseconds(delays.percentile(50)), p99: milliseconds(delays.percentile(99)) }
    const max = milliseconds(delays.max)
    delays.reset()
    return { ...measured, max }
  },
  messages: () => messages,
  closeIdleFiles: () => native.setOpenFileLimit(1),
  stop: () => broker.stop(),
}

process.on('message', async ({ id, question }: { id: number; question: Question }) => {
  const answer = await ANSWERS[question]()
  process.send?.({ id, answer })
  if (question === 'stop') process.disconnect()
})
process.send?.({ port: broker.port })
