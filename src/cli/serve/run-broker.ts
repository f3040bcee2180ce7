import { isatty } from 'node:tty'
import { Broker } from '../../server/broker.js'
import { EXIT } from '../failure.js'
import { onStopSignal, type StopSignal } from '../stop-signals.js'
import { BrokerLog, type LogSink } from './broker-log.js'
import type { LogLevel } from './log-level.js'
import { DEFAULT_DATA_DIR, type ServeSettings } from './settings.js'

const STDOUT = 1

/**
 * Runs a broker until a signal asks it to stop. Resolves behind a clean stop.
 *
 * @throws what the broker could not start for
 */
export async function runBroker(settings: ServeSettings, logLevel: LogLevel): Promise<void> {
  const log = new BrokerLog()
  dieLoudly(log)
  const stopAsked = new Promise<StopSignal>((resolve) => onStopSignal(resolve))
  const starting = Broker.start({ dataDir: DEFAULT_DATA_DIR, ...settings, logger: log })
  const sink = await openSink(logLevel)
  log.attach(sink)
  try {
    const broker = await starting
    sink.writeLine(`listening on ${broker.bootstrapServers}`)
    log.info({ signal: await stopAsked }, 'stopping')
    await broker.stop()
    log.info({}, 'stopped')
  } finally {
    log.flush()
  }
}

async function openSink(logLevel: LogLevel): Promise<LogSink> {
  const { openPinoSink } = await import('./pino-sink.js')
  return await openPinoSink(logLevel, isatty(STDOUT))
}

/** What nobody caught leaves the process in a state that is not known: the next start recovers what is on disk. */
function dieLoudly(log: BrokerLog): void {
  process.on('uncaughtException', (err) => {
    log.fatal({ err }, 'uncaught exception: the broker ends')
    log.flush()
    process.exit(EXIT.failure)
  })
}
