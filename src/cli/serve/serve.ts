import type { ServeArguments } from './serve-flags.js'

/** Serves as the arguments say; where they say nothing, as the configuration file does. */
export async function serve({ settings, configFile, logLevel }: ServeArguments): Promise<void> {
  const fromFile = configFile === undefined ? {} : (await import('./config-file.js')).readConfigFile(configFile)
  const { runBroker } = await import('./run-broker.js')
  await runBroker({ ...fromFile, ...settings }, logLevel)
}
