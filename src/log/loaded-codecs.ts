import { MyKafkaError } from '../errors.js'
import { CODECS, type CodecName } from './compression-codec.js'

/** Loaders by codec. */
export type CodecLoaders<Run> = Record<Exclude<CodecName, 'none'>, () => Promise<Run>>

/**
 * @param codec - its number
 * @throws MyKafkaError UNSUPPORTED_COMPRESSION_TYPE for an unknown one
 */
export function codecName(codec: number): CodecName {
  const name = CODECS[codec]
  if (name === undefined) throw new MyKafkaError('UNSUPPORTED_COMPRESSION_TYPE', `there is no codec ${codec}`)
  return name
}

/** What runs each codec, loaded when a batch first needs it: a broker that only passes batches on needs none. */
export class LoadedCodecs<Run> {
  readonly #loaders: CodecLoaders<Run>
  readonly #loaded = new Map<CodecName, Run>()

  constructor(loaders: CodecLoaders<Run>) {
    this.#loaders = loaders
  }

  /** @throws MyKafkaError UNSUPPORTED_COMPRESSION_TYPE where its package cannot be loaded */
  async get(name: Exclude<CodecName, 'none'>): Promise<Run> {
    const loaded = this.#loaded.get(name)
    if (loaded !== undefined) return loaded
    try {
      const run = await this.#loaders[name]()
      this.#loaded.set(name, run)
      return run
    } catch (cause) {
      throw new MyKafkaError('UNSUPPORTED_COMPRESSION_TYPE', `${name} cannot be loaded on this platform`, { cause })
    }
  }
}
