import { expect, it } from 'vitest'
import { LoadedCodecs } from '../../../src/log/loaded-codecs.js'

const never = async () => expect.unreachable()

it('loads a codec once, when it is first asked for', async () => {
  let loads = 0
  const codecs = new LoadedCodecs({ gzip: async () => ++loads, snappy: never, lz4: never, zstd: never })
  expect([await codecs.get('gzip'), await codecs.get('gzip'), loads]).toEqual([1, 1, 1])
})

it('says of a codec whose package is missing that it is not supported, and asks for it again', async () => {
  let loads = 0
  const lz4 = async () => {
    if (++loads === 1) throw new Error('no such package')
    return loads
  }
  const codecs = new LoadedCodecs({ gzip: never, snappy: never, lz4, zstd: never })
  await expect(codecs.get('lz4')).rejects.toMatchObject({ code: 'UNSUPPORTED_COMPRESSION_TYPE' })
  expect(await codecs.get('lz4')).toBe(2)
})
