/**
 * The language in which Kafka's messages are described, one file per API beside this one. The generator
 * (scripts/generate-kafka-codecs.ts, `npm run generate`) takes every other file of this directory, which exports one
 * {@link ApiSchema} and is named after its API: find-coordinator.ts for FindCoordinator.
 *
 * @module
 */

/** `n`, `n-m` or `n+` (to the newest version of the API). */
export type Versions = string

/** What a field holds on the wire where it is neither a struct nor an array. */
export type ScalarType =
  | 'bool'
  | 'int8'
  | 'int16'
  | 'uint16'
  | 'int32'
  | 'uint32'
  /** A bigint in code. */
  | 'int64'
  | 'float64'
  | 'string'
  /** Kafka's text of it: 22 characters of base64, as `Topic.id` is. */
  | 'uuid'
  /** Decoded as a view of the frame, which is copied where it is kept. */
  | 'bytes'
  /** Record batches. Decoded as a view, encoded from parts that are not copied, file slices among them. */
  | 'records'
  /** An int64 that is a number in code and must be a safe integer. So are the two below; the name says what it is. */
  | 'offset'
  | 'timestamp'
  | 'producerId'

/**
 * A scalar, a struct or an array of either. A struct's name begins with a capital letter; it is ours and short, since
 * the code's name of it is `<Api>Request<Struct>` or `<Api>Response<Struct>`.
 */
export type FieldType = ScalarType | `[]${string}` | Capitalize<string>

/** One field of a message or struct, in the order of the wire. */
export interface FieldSchema {
  /** Kafka's name, its first letter in lower case. */
  readonly name: string
  readonly type: FieldType
  /** The versions that have it. Those beyond the API's are ignored. */
  readonly versions: Versions
  /** The versions in which it can be null. */
  readonly nullable?: Versions
  /**
   * What it is in versions that lack it; without this 0, '', false, the zero id, [], or null where it can be null.
   * In a response a field with a default is optional: the encoder writes the default.
   */
  readonly default?: number | bigint | string | boolean | null
  /**
   * The number of a tagged field; it is then tagged in all its versions, which are flexible ones, and optional in a
   * response. Not sent where it has its default. A tagged struct is null where it was not sent.
   */
  readonly tag?: number
  /** The versions in which it is tagged: the same as `versions`, said again as Kafka says it. */
  readonly tagged?: Versions
  /** The fields of a struct. A struct used a second time in the same message is described once, at its first use. */
  readonly fields?: readonly FieldSchema[]
}

/** Both messages of an API. */
export interface ApiSchema {
  readonly key: number
  /** Kafka's name of the API. */
  readonly name: string
  /** Those that the codec knows, without a gap. */
  readonly versions: Versions
  /** The versions with compact lengths and tagged fields, or 'none'. */
  readonly flexible: Versions | 'none'
  readonly request: readonly FieldSchema[]
  readonly response: readonly FieldSchema[]
}
