/** What the tests do with the client programs. */
import { randomUUID } from 'node:crypto'
import { sharedBroker } from './broker.js'
import { type ClientEvent, ClientProgram, type ReadRecord } from './client-program.js'
import { type Client, type Codec, KAFKAJS } from './clients.js'
import type { WrittenRecord } from './records.js'

/** A batch for a client to write. */
export interface Batch {
  readonly topic: string
  readonly codec?: Codec | 'none'
  readonly acks?: -1 | 0 | 1
  readonly idempotent?: boolean
  readonly records: readonly WrittenRecord[]
}

/** The offset that a client was told for a record; null where it does not tell. */
export type ToldOffset = { readonly partition: number; readonly offset: number } | null

/** A name that no other test uses. */
export function fresh(what: string): string {
  return `${what}-${randomUUID().slice(0, 8)}`
}

export async function start(client: Client, scenario: string, args: object): Promise<ClientProgram> {
  const { bootstrap } = await sharedBroker()
  return new ClientProgram(client.name, client.program, [scenario, bootstrap, JSON.stringify(args)])
}

async function run(client: Client, scenario: string, args: object): Promise<ClientEvent[]> {
  return (await start(client, scenario, args)).finished()
}

/** Makes a topic, by kafkajs, and gives its name. */
export async function createTopic(
  name: string,
  partitions: number,
  config: Readonly<Record<string, string>> = {},
): Promise<string> {
  const topic = fresh(name)
  await run(KAFKAJS, 'create', { topics: [{ topic, partitions, config }] })
  return topic
}

/** Gives a topic more partitions, by kafkajs. */
export async function growTopic(topic: string, partitions: number): Promise<void> {
  await run(KAFKAJS, 'grow', { topic, partitions })
}

/** Writes, and gives what the client was told for each batch. */
export async function produce(client: Client, batches: readonly Batch[]): Promise<(readonly ToldOffset[] | null)[]> {
  const events = await run(client, 'produce', { batches })
  return events.map(({ offsets }) => offsets as readonly ToldOffset[] | null)
}

/** Reads so many records of each topic from the earliest on. */
export async function consume(client: Client, topics: Readonly<Record<string, number>>): Promise<ReadRecord[]> {
  const program = await start(client, 'consume', { topics, group: fresh('reader') })
  await program.finished()
  return program.records
}

/** How a member joins. */
export interface MemberOptions {
  readonly topic: string
  readonly group: string
  readonly reset?: 'earliest' | 'latest'
  readonly sessionTimeoutMs?: number
  readonly maxPollIntervalMs?: number
  readonly metadataMaxAgeMs?: number
}

/** A member of a group, in a process of its own. */
export class Member {
  readonly program: ClientProgram

  static async join(client: Client, options: MemberOptions): Promise<Member> {
    return new Member(await start(client, 'member', { reset: 'earliest', ...options }))
  }

  private constructor(program: ClientProgram) {
    this.program = program
  }

  /** What it has been assigned last; undefined before that. */
  get partitions(): readonly number[] | undefined {
    return this.program.events.findLast(({ event }) => event === 'assigned')?.partitions as number[] | undefined
  }

  /** The values of the records that it read, as text. */
  get values(): string[] {
    return this.program.records.map(({ value }) => Buffer.from(value ?? '', 'base64').toString())
  }

  /** Waits until it has so many partitions. */
  async has(count: number): Promise<void> {
    await this.program.until(`${count} partitions`, () => this.partitions?.length === count)
  }

  /** Waits until it has read all of these values. */
  async read(values: readonly string[]): Promise<void> {
    await this.program.until(`reading ${values.length} values`, () => {
      const seen = new Set(this.values)
      return values.every((value) => seen.has(value))
    })
  }

  async commit(): Promise<void> {
    await this.program.ask('commit', 'committed')
  }

  async leave(): Promise<void> {
    this.program.tell('leave')
    await this.program.finished()
  }
}
