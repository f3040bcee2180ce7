import type { Logger } from '../../src/logger.js'

/** Keeps what is logged, for tests that ask whether something was reported. */
export interface MemoryLogger extends Logger {
  readonly lines: { level: string; fields: Record<string, unknown>; message: string }[]
  messages(level?: string): string[]
}

export function memoryLogger(): MemoryLogger {
  const lines: MemoryLogger['lines'] = []
  const at = (level: string) => (fields: object, message: string) => {
    lines.push({ level, fields: fields as Record<string, unknown>, message })
  }
  return {
    lines,
    messages: (level) =>
      lines.filter((line) => level === undefined || line.level === level).map(({ message }) => message),
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
  }
}
