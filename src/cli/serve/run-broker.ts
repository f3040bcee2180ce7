import { isatty } from 'node:tty'
import { Broker } from '../../server/broker.js'
import { dataDirectoryOf } from '../../server/broker-properties.js'
import { formatAddress } from '../../server/listeners.js'
import { EXIT } from '../failure.js'
import { onStopSignal, type StopSignal } from '../stop-signals.js'
import { BrokerLog } from './broker-log.js'
import type { LogLevel } from './log-level.js'
import { writePlainLines } from './plain-lines.js'
import { DEFAULT_DATA_DIR, type ServeSettings } from './settings.js'

const STDOUT = 1
/** A start that takes longer has something to do, and its log is to be seen. */
const SHORT_START_MS = 500

/**
 * Runs a broker until a signal asks it to stop. Resolves behind a clean stop.
 *
 * @throws what the broker could not start for
 */
export async function runBroker(settings: ServeSettings, logLevel: LogLevel): Promise<void> {
  const terminal = isatty(STDOUT)
  const log = new BrokerLog(async () => (await import('./pino-sink.js')).openPinoSink(logLevel, terminal))
  dieLoudly(log)
  const stopAsked = new Promise<StopSignal>((resolve) => onStopSignal(resolve))
  const slowStart = setTimeout(() => void log.open(), SHORT_START_MS)
  try {
    const dataDir = settings.dataDir ?? dataDirectoryOf(settings.properties ?? {}) ?? DEFAULT_DATA_DIR
    const broker = await Broker.start({ ...settings, dataDir, logger: log })
    clearTimeout(slowStart)
    await log.announce(
      broker.listeners.map((listener) => `listening on ${formatAddress(listener)}`).join('\n'),
      (held, line) => !terminal && writePlainLines(logLevel, held, line),
    )
    log.info({ signal: await stopAsked }, 'stopping')
    await broker.stop()
    log.info({}, 'stopped')
  } finally {
    clearTimeout(slowStart)
    await log.close()
  }
}

/** What nobody caught leaves the process in a state that is not known: the next start recovers what is on disk. */
function dieLoudly(log: BrokerLog): void {
  process.on('uncaughtException', (err) => {
    log.fatal({ err }, 'uncaught exception: the broker ends')
    void log.close().finally(() => process.exit(EXIT.failure))
  })
}
