import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ERRORS_DOC, renderErrorsDoc } from '../../scripts/generate-errors-doc.js'
import {
  type ErrorCode,
  errorFromNative,
  errorFromWire,
  isErrorCode,
  KAFKA_ERRORS,
  LOCAL_ERRORS,
  MyKafkaError,
  wireCode,
} from '../../src/errors.js'

// What the Java client declares: number, name, retriable.
const { errors: JAVA_ERRORS } = JSON.parse(
  readFileSync(new URL('../vectors/kafka-errors.json', import.meta.url), 'utf8'),
) as { errors: [number, string, boolean][] }

describe('error declarations', () => {
  it("bear Kafka's names, numbers and retriability", () => {
    const declared = Object.entries(KAFKA_ERRORS).map(([name, { wire, retriable }]) => [wire, name, retriable])
    const names = new Set(Object.keys(KAFKA_ERRORS))
    expect(declared).toEqual(JAVA_ERRORS.filter(([, name]) => names.has(name)))
  })

  it('fit a signed byte and are unique', () => {
    const numbers = Object.values(KAFKA_ERRORS).map(({ wire }) => wire)
    expect(new Set(numbers).size).toBe(numbers.length)
    for (const number of numbers) expect((number << 24) >> 24).toBe(number)
  })

  it('name no code twice', () => {
    for (const name of Object.keys(LOCAL_ERRORS)) expect(KAFKA_ERRORS).not.toHaveProperty(name)
  })

  it('agree with docs/errors.md', () => {
    expect(readFileSync(ERRORS_DOC, 'utf8')).toBe(renderErrorsDoc())
  })

  it('agree with the type of a code', () => {
    const all = [...Object.keys(KAFKA_ERRORS), ...Object.keys(LOCAL_ERRORS)].filter((name) => name !== 'NONE')
    for (const name of all) expect(isErrorCode(name)).toBe(true)
    expect(isErrorCode('NONE')).toBe(false)
    expect(isErrorCode('toString')).toBe(false)
    // @ts-expect-error NONE is no code that an error bears
    const none: ErrorCode = 'NONE'
    expect(none).toBe('NONE')
  })
})

describe('MyKafkaError', () => {
  it('uses the declared message where none is given', () => {
    const error = new MyKafkaError('LOG_CLOSED')
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ name: 'MyKafkaError', code: 'LOG_CLOSED', message: LOCAL_ERRORS.LOG_CLOSED.message })
    expect(error).not.toHaveProperty('errno')
    expect(error).not.toHaveProperty('cause')
  })

  it('bears cause, errno and system call', () => {
    const cause = new Error('disk')
    const error = new MyKafkaError('KAFKA_STORAGE_ERROR', 'write failed', { cause, errno: 'EIO', syscall: 'pwritev' })
    expect(error).toMatchObject({ cause, errno: 'EIO', syscall: 'pwritev', retriable: true })
  })
})

describe('wireCode', () => {
  it('is the number of a Kafka code and the stand-in of a local one', () => {
    expect(wireCode(new MyKafkaError('INVALID_RECORD'))).toBe(87)
    expect(wireCode(new MyKafkaError('LOG_FAILED'))).toBe(56)
    expect(wireCode(new MyKafkaError('CONNECTION_CLOSED'))).toBe(13)
  })

  it('takes a refusal of the file system for a storage error', () => {
    let refused: unknown
    try {
      readFileSync('/nowhere/at/all')
    } catch (error) {
      refused = error
    }
    expect(wireCode(refused)).toBe(56)
  })

  it('takes anything else for an unknown server error', () => {
    for (const error of [new TypeError('x'), 'x', null, undefined, { code: 'INVALID_RECORD' }]) {
      expect(wireCode(error)).toBe(-1)
    }
  })
})

describe('errors from elsewhere', () => {
  it('come back from the wire by name', () => {
    for (const [number, name] of Object.entries(KAFKA_ERRORS).map(([name, { wire }]) => [wire, name] as const)) {
      if (number === 0) continue
      const error = errorFromWire(number, 'FETCH of a-0')
      expect(error.code).toBe(name)
      expect(error.message).toMatch(/^FETCH of a-0: /)
      expect(wireCode(error)).toBe(number)
    }
  })

  it('are unknown where the number is', () => {
    expect(errorFromWire(99, 'FETCH')).toMatchObject({ code: 'UNKNOWN_SERVER_ERROR', message: 'FETCH: error code 99' })
  })

  it('come from the addon by name', () => {
    expect(errorFromNative('KAFKA_STORAGE_ERROR', 'full', 'ENOSPC')).toMatchObject({
      code: 'KAFKA_STORAGE_ERROR',
      message: 'full',
      errno: 'ENOSPC',
    })
    expect(errorFromNative('WHAT', 'odd', undefined).code).toBe('UNKNOWN_SERVER_ERROR')
  })
})
