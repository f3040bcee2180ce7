import { MyKafkaError } from '../errors.js'

const HTTP_WORDS = ['GET ', 'POST', 'HEAD', 'PUT ', 'DELE', 'OPTI', 'PATC', 'CONN', 'TRAC', 'PRI ', 'HTTP']
const TLS_ALERT = 0x15
const TLS_HANDSHAKE = 0x16
const SSL_3 = 3

/** What bytes seem to be that are no length of a frame. */
export type FrameLook = 'tls' | 'http' | 'ssh' | 'negative length' | 'empty frame' | 'large frame'

/** Bytes where a frame should begin that are no frame. The connection cannot go on behind it. */
export class FrameError extends MyKafkaError {
  override readonly name = 'FrameError'
  readonly looksLike: FrameLook
  /** The four bytes read as a length. */
  readonly length: number

  constructor(length: number, limit: number) {
    const looksLike = lookOf(length)
    super(length < 1 ? 'INVALID_FRAME' : 'FRAME_TOO_LARGE', describe(looksLike, length, limit))
    this.looksLike = looksLike
    this.length = length
  }
}

function lookOf(length: number): FrameLook {
  const type = (length >>> 24) & 0xff
  if ((type === TLS_HANDSHAKE || type === TLS_ALERT) && ((length >>> 16) & 0xff) === SSL_3) return 'tls'
  const word = textOf(length)
  if (HTTP_WORDS.includes(word)) return 'http'
  if (word === 'SSH-') return 'ssh'
  if (length < 0) return 'negative length'
  return length === 0 ? 'empty frame' : 'large frame'
}

function describe(looksLike: FrameLook, length: number, limit: number): string {
  switch (looksLike) {
    case 'tls':
      return 'this looks like TLS, not like a frame: the connection is plain TCP'
    case 'http':
      return `this looks like HTTP ("${textOf(length).trim()}"), not like a frame`
    case 'ssh':
      return 'this looks like SSH, not like a frame'
    case 'negative length':
    case 'empty frame':
      return `a frame cannot have the length ${length}`
    case 'large frame':
      return `a frame of ${length} bytes is larger than the ${limit} allowed`
  }
}

function textOf(length: number): string {
  return String.fromCharCode(length >>> 24, (length >>> 16) & 0xff, (length >>> 8) & 0xff, length & 0xff)
}
