/** Structured logging as pino has it: fields first, then the message. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

const nothing = (): void => {}

/** Drops everything: the default of the embedded engine. */
export const silentLogger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing }
