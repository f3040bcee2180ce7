/** What `--log-level` takes, most talkative first, with pino's numbers. */
export const LEVEL_NUMBERS = { debug: 20, info: 30, warn: 40, error: 50, fatal: 60, silent: Number.POSITIVE_INFINITY }

export type LogLevel = keyof typeof LEVEL_NUMBERS

export const LOG_LEVELS = Object.keys(LEVEL_NUMBERS) as LogLevel[]
