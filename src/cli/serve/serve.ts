import { resolveBrokerConfig } from '../../server/resolve-broker-config.js'
import { UsageError } from '../failure.js'
import type { ServeArguments } from './serve-flags.js'

/** Serves as the arguments say; where they say nothing, as the configuration file does. */
export async function serve({ settings, properties, configFile, logLevel }: ServeArguments): Promise<void> {
  const fromFile = configFile === undefined ? {} : (await import('./config-file.js')).readConfigFile(configFile)
  const all = { ...settings, properties: { ...fromFile, ...properties } }
  try {
    resolveBrokerConfig(all)
  } catch (error) {
    // Each setting is right for itself: they are at odds.
    throw new UsageError((error as Error).message)
  }
  const { runBroker } = await import('./run-broker.js')
  await runBroker(all, logLevel)
}
