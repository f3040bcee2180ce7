/** The clients that are tried, what they lack, and how they are installed. */
import { join } from 'node:path'
import type { Command } from './client-program.js'
import { CACHE, INTEROP } from './folders.js'
import {
  installConfluent,
  installGo,
  installKcat,
  installNode24,
  installPackages,
  installPython,
} from './installers.js'
import { CLASS_PATH, installJavaClient, SHORT_LIVED } from './java.js'

export const CODECS = ['gzip', 'snappy', 'lz4', 'zstd'] as const

export type Codec = (typeof CODECS)[number]

/** What some clients' interfaces cannot write. */
export type Feature =
  | 'timestamp'
  // Decades apart within a batch.
  | 'distant timestamp'
  | 'null header'
  | 'header of bytes'
  | 'empty header'
  | 'empty bytes'
  | 'null key and value'

export interface Client {
  readonly name: string
  readonly program: Command
  readonly install: () => Promise<void>
  /** What it cannot write; everything else it must. */
  readonly cannotWrite?: readonly Feature[]
  /** What its reader does not tell apart. */
  readonly confuses?: 'null headers and empty ones' | 'null and empty bytes'
  readonly lacksIdempotence?: boolean
  readonly lacksTopicCalls?: boolean
  /** What is gone it skips to the earliest, whatever it is told to. */
  readonly alwaysResetsToEarliest?: boolean
  /** Whether CI runs it too. */
  readonly inCi?: boolean
}

const nodeProgram = (file: string, command = process.execPath): Command => ({
  command,
  args: [join(INTEROP, file)],
})

const python = (file: string): Command => ({
  command: join(CACHE, 'python', 'bin', 'python'),
  args: [join(INTEROP, 'python', file)],
})

const goProgram = (name: string): Command => ({ command: join(CACHE, 'go', name), args: [] })

const NODE_24 = join(CACHE, 'node24', 'node_modules', 'node', 'bin', 'node')

export const KAFKAJS: Client = {
  name: 'kafkajs',
  program: nodeProgram('node/kafkajs/client.mjs'),
  install: () => installPackages('kafkajs'),
  cannotWrite: ['null header'],
  inCi: true,
}

export const JAVA: Client = {
  name: 'Java client',
  program: {
    command: 'java',
    args: [...SHORT_LIVED, '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn', '-cp', CLASS_PATH, 'Client'],
  },
  install: installJavaClient,
  inCi: true,
}

export const LIBRDKAFKA: Client = {
  name: 'confluent-kafka (Python)',
  program: python('confluent.py'),
  install: installPython,
  inCi: true,
}

export const CLIENTS: readonly Client[] = [
  KAFKAJS,
  {
    name: '@confluentinc/kafka-javascript',
    program: nodeProgram('node/confluent/client.mjs'),
    install: installConfluent,
    cannotWrite: ['null header', 'empty header', 'empty bytes'],
    confuses: 'null headers and empty ones',
  },
  {
    name: '@platformatic/kafka',
    program: nodeProgram('node/platformatic/client.mjs', NODE_24),
    // The difference to the batch's first loses its upper bits.
    cannotWrite: ['distant timestamp'],
    install: async () => {
      await installNode24()
      await installPackages('platformatic')
    },
  },
  JAVA,
  LIBRDKAFKA,
  {
    name: 'kafka-python',
    program: python('kafka_python.py'),
    install: installPython,
    cannotWrite: ['null key and value', 'null header'],
  },
  { name: 'aiokafka', program: python('aio.py'), install: installPython, cannotWrite: ['null key and value'] },
  { name: 'franz-go', program: goProgram('franz'), install: installGo },
  { name: 'sarama', program: goProgram('sarama'), install: installGo },
  {
    name: 'segmentio/kafka-go',
    program: goProgram('segmentio'),
    install: installGo,
    confuses: 'null and empty bytes',
    lacksIdempotence: true,
    alwaysResetsToEarliest: true,
  },
  {
    name: 'kcat',
    program: nodeProgram('kcat/client.mjs'),
    install: installKcat,
    // Headers are arguments of the command.
    cannotWrite: ['timestamp', 'distant timestamp', 'empty bytes', 'null key and value', 'header of bytes'],
    lacksTopicCalls: true,
  },
]
