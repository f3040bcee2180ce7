import { connect, type Socket } from 'node:net'
import { MyKafkaError } from '../errors.js'
import { abortError, onAbort } from './retrying.js'

/** Where to connect, and for how long to try. */
export interface SocketOptions {
  readonly host: string
  readonly port: number
  readonly connectTimeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Opens a TCP connection.
 *
 * @throws MyKafkaError NETWORK_EXCEPTION where it cannot be had in time, ABORTED by the signal
 */
export function openSocket(options: SocketOptions): Promise<Socket> {
  const { host, port, connectTimeoutMs, signal } = options
  const target = `${host}:${port}`
  const aborted = (by: AbortSignal): MyKafkaError => abortError(by, `the connection to ${target} was aborted`)
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(aborted(signal))
      return
    }
    const socket = connect({ host, port, noDelay: true })
    const timer = setTimeout(() => {
      const options = { errno: 'ETIMEDOUT', syscall: 'connect' }
      fail(new MyKafkaError('NETWORK_EXCEPTION', `no connection to ${target} in ${connectTimeoutMs} ms`, options))
    }, connectTimeoutMs)
    const onError = (error: NodeJS.ErrnoException): void => fail(refused(target, error))
    const settle = (): void => {
      clearTimeout(timer)
      stopListening?.()
      socket.removeListener('error', onError)
      socket.removeListener('connect', onConnect)
    }
    const fail = (error: MyKafkaError): void => {
      settle()
      socket.on('error', () => {})
      socket.destroy()
      reject(error)
    }
    const onConnect = (): void => {
      settle()
      resolve(socket)
    }
    socket.once('error', onError)
    socket.once('connect', onConnect)
    const stopListening = signal && onAbort(signal, () => fail(aborted(signal)))
  })
}

function refused(target: string, cause: NodeJS.ErrnoException): MyKafkaError {
  const { code: errno, syscall } = cause
  return new MyKafkaError('NETWORK_EXCEPTION', `no connection to ${target}: ${errno ?? cause.message}`, {
    cause,
    errno,
    syscall,
  })
}
