/** kafkajs brings gzip; the other codecs are packages that a program registers. */
import { compress as compressZstd, decompress as decompressZstd, init } from '@bokuweb/zstd-wasm'
import kafkajs from 'kafkajs'
import snappy from 'kafkajs-snappy'
import { compressFrame, decompressFrame } from 'lz4-napi'

const { CompressionCodecs, CompressionTypes } = kafkajs
await init()

CompressionCodecs[CompressionTypes.Snappy] = snappy
CompressionCodecs[CompressionTypes.LZ4] = () => ({
  compress: ({ buffer }) => compressFrame(buffer),
  decompress: (buffer) => decompressFrame(buffer),
})
CompressionCodecs[CompressionTypes.ZSTD] = () => ({
  compress: async ({ buffer }) => Buffer.from(compressZstd(buffer)),
  decompress: async (buffer) => Buffer.from(decompressZstd(buffer)),
})

const TYPES = {
  none: CompressionTypes.None,
  gzip: CompressionTypes.GZIP,
  snappy: CompressionTypes.Snappy,
  lz4: CompressionTypes.LZ4,
  zstd: CompressionTypes.ZSTD,
}

export const compressionType = (codec) => TYPES[codec]
