/**
 * Every error of MyKafka, declared once: Kafka's own codes with Kafka's numbers, and local codes that
 * never travel as such. docs/errors.md is made from these tables (scripts/generate-errors-doc.ts).
 *
 * @module
 */

import { printable } from './printable.js'

/** A Kafka error code as Kafka declares it. */
export interface KafkaErrorDeclaration {
  /** The number on the wire. It fits a signed byte. */
  readonly wire: number
  /** Whether the same request may succeed later. */
  readonly retriable: boolean
  readonly message: string
}

/** A code of our own, and the Kafka code that a peer is told instead. */
export interface LocalErrorDeclaration {
  readonly travelsAs: keyof typeof KAFKA_ERRORS
  readonly retriable: boolean
  readonly message: string
}

/** Kafka's codes, by number. */
export const KAFKA_ERRORS = {
  UNKNOWN_SERVER_ERROR: { wire: -1, retriable: false, message: 'the server failed in a way it did not expect' },
  NONE: { wire: 0, retriable: false, message: 'no error' },
  OFFSET_OUT_OF_RANGE: { wire: 1, retriable: false, message: 'the offset is not between log start and log end' },
  CORRUPT_MESSAGE: { wire: 2, retriable: true, message: 'the bytes of a record are not whole and right' },
  UNKNOWN_TOPIC_OR_PARTITION: { wire: 3, retriable: true, message: 'there is no such topic or partition' },
  INVALID_FETCH_SIZE: { wire: 4, retriable: false, message: 'the fetch size is invalid' },
  LEADER_NOT_AVAILABLE: { wire: 5, retriable: true, message: 'the partition has no leader' },
  NOT_LEADER_OR_FOLLOWER: { wire: 6, retriable: true, message: 'this broker does not have the partition' },
  REQUEST_TIMED_OUT: { wire: 7, retriable: true, message: 'the request timed out' },
  BROKER_NOT_AVAILABLE: { wire: 8, retriable: false, message: 'the broker is not available' },
  REPLICA_NOT_AVAILABLE: { wire: 9, retriable: true, message: 'the replica is not available' },
  MESSAGE_TOO_LARGE: { wire: 10, retriable: false, message: 'a record or a batch is larger than allowed' },
  OFFSET_METADATA_TOO_LARGE: { wire: 12, retriable: false, message: 'the metadata of a commit is too large' },
  NETWORK_EXCEPTION: { wire: 13, retriable: true, message: 'the connection failed' },
  COORDINATOR_LOAD_IN_PROGRESS: { wire: 14, retriable: true, message: 'the committed offsets are still being loaded' },
  COORDINATOR_NOT_AVAILABLE: { wire: 15, retriable: true, message: 'the coordinator is not available' },
  NOT_COORDINATOR: { wire: 16, retriable: true, message: 'this broker does not coordinate the group' },
  INVALID_TOPIC_EXCEPTION: { wire: 17, retriable: false, message: 'the topic name is invalid or not for clients' },
  RECORD_LIST_TOO_LARGE: { wire: 18, retriable: false, message: 'the records are larger than a segment' },
  INVALID_REQUIRED_ACKS: { wire: 21, retriable: false, message: 'acks is none of -1, 0 and 1' },
  ILLEGAL_GENERATION: { wire: 22, retriable: false, message: 'the group has another generation' },
  INCONSISTENT_GROUP_PROTOCOL: { wire: 23, retriable: false, message: 'the member shares no protocol with the group' },
  INVALID_GROUP_ID: { wire: 24, retriable: false, message: 'the group id is invalid' },
  UNKNOWN_MEMBER_ID: { wire: 25, retriable: false, message: 'the group does not know this member' },
  INVALID_SESSION_TIMEOUT: { wire: 26, retriable: false, message: 'the session timeout is not within the bounds' },
  REBALANCE_IN_PROGRESS: { wire: 27, retriable: false, message: 'the group rebalances: join again' },
  INVALID_COMMIT_OFFSET_SIZE: { wire: 28, retriable: false, message: 'the committing data is too large' },
  TOPIC_AUTHORIZATION_FAILED: { wire: 29, retriable: false, message: 'the topic is not for this client' },
  GROUP_AUTHORIZATION_FAILED: { wire: 30, retriable: false, message: 'the group is not for this client' },
  CLUSTER_AUTHORIZATION_FAILED: { wire: 31, retriable: false, message: 'the cluster is not for this client' },
  INVALID_TIMESTAMP: { wire: 32, retriable: false, message: 'the timestamp is out of range' },
  UNSUPPORTED_VERSION: { wire: 35, retriable: false, message: 'the version is not supported' },
  TOPIC_ALREADY_EXISTS: { wire: 36, retriable: false, message: 'the topic exists already' },
  INVALID_PARTITIONS: { wire: 37, retriable: false, message: 'the number of partitions is invalid' },
  INVALID_REPLICATION_FACTOR: { wire: 38, retriable: false, message: 'there are not as many brokers' },
  INVALID_REPLICA_ASSIGNMENT: { wire: 39, retriable: false, message: 'the replica assignment is invalid' },
  INVALID_CONFIG: { wire: 40, retriable: false, message: 'the configuration is invalid' },
  NOT_CONTROLLER: { wire: 41, retriable: true, message: 'this broker is not the controller' },
  INVALID_REQUEST: { wire: 42, retriable: false, message: 'the request is malformed' },
  UNSUPPORTED_FOR_MESSAGE_FORMAT: { wire: 43, retriable: false, message: "the topic's record format cannot hold it" },
  POLICY_VIOLATION: { wire: 44, retriable: false, message: 'a policy forbids it' },
  OUT_OF_ORDER_SEQUENCE_NUMBER: { wire: 45, retriable: false, message: 'a sequence number is missing before it' },
  DUPLICATE_SEQUENCE_NUMBER: { wire: 46, retriable: false, message: 'the sequence number was written before' },
  INVALID_PRODUCER_EPOCH: { wire: 47, retriable: false, message: 'the producer has a newer epoch' },
  INVALID_TXN_STATE: { wire: 48, retriable: false, message: 'the transaction is in another state' },
  INVALID_PRODUCER_ID_MAPPING: { wire: 49, retriable: false, message: 'the transactional id has another producer id' },
  KAFKA_STORAGE_ERROR: { wire: 56, retriable: true, message: 'the disk refused' },
  LOG_DIR_NOT_FOUND: { wire: 57, retriable: false, message: 'there is no such log directory' },
  UNKNOWN_PRODUCER_ID: { wire: 59, retriable: false, message: 'the producer id is not known' },
  NON_EMPTY_GROUP: { wire: 68, retriable: false, message: 'the group has members' },
  GROUP_ID_NOT_FOUND: { wire: 69, retriable: false, message: 'there is no such group' },
  FETCH_SESSION_ID_NOT_FOUND: { wire: 70, retriable: true, message: 'there is no such fetch session' },
  INVALID_FETCH_SESSION_EPOCH: { wire: 71, retriable: true, message: 'the fetch session has another epoch' },
  LISTENER_NOT_FOUND: { wire: 72, retriable: true, message: 'there is no such listener' },
  TOPIC_DELETION_DISABLED: { wire: 73, retriable: false, message: 'topics cannot be deleted' },
  FENCED_LEADER_EPOCH: { wire: 74, retriable: true, message: 'the leader epoch is older than the broker knows' },
  UNKNOWN_LEADER_EPOCH: { wire: 75, retriable: true, message: 'the leader epoch is newer than the broker knows' },
  UNSUPPORTED_COMPRESSION_TYPE: { wire: 76, retriable: false, message: 'the compression is not supported' },
  OFFSET_NOT_AVAILABLE: { wire: 78, retriable: true, message: 'the offset is not known yet' },
  MEMBER_ID_REQUIRED: { wire: 79, retriable: false, message: 'join again with the member id that was given' },
  GROUP_MAX_SIZE_REACHED: { wire: 81, retriable: false, message: 'the group has as many members as it may have' },
  FENCED_INSTANCE_ID: { wire: 82, retriable: false, message: 'another member has this group instance id' },
  GROUP_SUBSCRIBED_TO_TOPIC: { wire: 86, retriable: false, message: 'a member of the group reads the topic' },
  INVALID_RECORD: { wire: 87, retriable: false, message: 'a record is malformed' },
  UNSTABLE_OFFSET_COMMIT: { wire: 88, retriable: true, message: 'a transaction has offsets that are not decided' },
  PRODUCER_FENCED: { wire: 90, retriable: false, message: 'a newer producer has the transactional id' },
  RESOURCE_NOT_FOUND: { wire: 91, retriable: false, message: 'there is no such resource' },
  UNKNOWN_TOPIC_ID: { wire: 100, retriable: true, message: 'there is no topic with this id' },
  INCONSISTENT_TOPIC_ID: { wire: 103, retriable: true, message: 'the topic has another id' },
  FETCH_SESSION_TOPIC_ID_ERROR: { wire: 106, retriable: true, message: 'the fetch session mixes topic ids and names' },
  MISMATCHED_ENDPOINT_TYPE: { wire: 114, retriable: false, message: 'the endpoint is of another type' },
  UNSUPPORTED_ENDPOINT_TYPE: { wire: 115, retriable: false, message: 'there is no such type of endpoint' },
} as const satisfies Record<string, KafkaErrorDeclaration>

/** Codes of our own. What a peer is told instead is a Kafka code. */
export const LOCAL_ERRORS = {
  ABORTED: { travelsAs: 'UNKNOWN_SERVER_ERROR', retriable: false, message: 'aborted by the caller' },
  ADDON_MISSING: { travelsAs: 'UNKNOWN_SERVER_ERROR', retriable: false, message: 'the native addon is not there' },
  ADDON_STALE: {
    travelsAs: 'UNKNOWN_SERVER_ERROR',
    retriable: false,
    message: 'the native addon is not of this source',
  },
  CLIENT_CLOSED: { travelsAs: 'UNKNOWN_SERVER_ERROR', retriable: false, message: 'the client is closed' },
  CONNECTION_CLOSED: { travelsAs: 'NETWORK_EXCEPTION', retriable: true, message: 'the connection is closed' },
  DATA_DIR_LOCKED: {
    travelsAs: 'KAFKA_STORAGE_ERROR',
    retriable: false,
    message: 'the directory is in use',
  },
  FRAME_TOO_LARGE: { travelsAs: 'INVALID_REQUEST', retriable: false, message: 'the frame is larger than allowed' },
  INVALID_ARGUMENT: { travelsAs: 'INVALID_REQUEST', retriable: false, message: 'an argument is invalid' },
  INVALID_FRAME: { travelsAs: 'INVALID_REQUEST', retriable: false, message: 'the bytes are no frame' },
  INVALID_RESPONSE: { travelsAs: 'UNKNOWN_SERVER_ERROR', retriable: false, message: 'the response is malformed' },
  LOG_CLOSED: { travelsAs: 'KAFKA_STORAGE_ERROR', retriable: false, message: 'the log is closed' },
  /** A sync or a truncation failed: what the disk holds is unknown, so writes are refused until a restart. */
  LOG_FAILED: { travelsAs: 'KAFKA_STORAGE_ERROR', retriable: false, message: 'the log failed and refuses writes' },
  NO_OFFSET_FOR_PARTITION: {
    travelsAs: 'OFFSET_OUT_OF_RANGE',
    retriable: false,
    message: 'the group has committed no offset of the partition, and no reset policy says where to begin',
  },
  /** An int64 that JavaScript cannot hold as a number. */
  UNSAFE_INTEGER: { travelsAs: 'UNKNOWN_SERVER_ERROR', retriable: false, message: 'the integer is beyond 2^53 - 1' },
  UNSUPPORTED_FORMAT_VERSION: {
    travelsAs: 'KAFKA_STORAGE_ERROR',
    retriable: false,
    message: 'the directory was written in another format version',
  },
} as const satisfies Record<string, LocalErrorDeclaration>

/** A Kafka error code that an error can bear. */
export type KafkaErrorCode = Exclude<keyof typeof KAFKA_ERRORS, 'NONE'>

/** A code of our own that an error can bear. */
export type LocalErrorCode = keyof typeof LOCAL_ERRORS

/** What `code` of a {@link MyKafkaError} can be. */
export type ErrorCode = KafkaErrorCode | LocalErrorCode

/** What a {@link MyKafkaError} can bear beside its code and message. */
export interface MyKafkaErrorOptions {
  readonly cause?: unknown
  /** The system's name, such as `ENOSPC`. */
  readonly errno?: string | undefined
  readonly syscall?: string | undefined
}

/** The only kind of error that MyKafka raises by design. */
export class MyKafkaError extends Error {
  override readonly name: string = 'MyKafkaError'
  readonly code: ErrorCode
  /** The system's name, such as `ENOSPC`, where the system refused. */
  declare readonly errno?: string
  declare readonly syscall?: string

  /** Without a message the declared one is used. Control characters are escaped: much of it can be what a peer sent. */
  constructor(code: ErrorCode, message?: string, options?: MyKafkaErrorOptions) {
    super(
      printable(message ?? declarationOf(code).message),
      options?.cause === undefined ? undefined : { cause: options.cause },
    )
    this.code = code
    if (options?.errno !== undefined) this.errno = options.errno
    if (options?.syscall !== undefined) this.syscall = options.syscall
  }

  /** Whether the same call may succeed later. */
  get retriable(): boolean {
    return declarationOf(this.code).retriable
  }
}

/** The error, where it is one of ours; else one that tells of it. */
export function asMyKafkaError(error: unknown): MyKafkaError {
  if (error instanceof MyKafkaError) return error
  return new MyKafkaError('UNKNOWN_SERVER_ERROR', String(error), { cause: error })
}

/** The error, where it is one of ours; else one that tells that the file system refused. */
export function asStorageError(error: unknown, what: string): MyKafkaError {
  if (error instanceof MyKafkaError) return error
  const { code: errno, syscall } = error as NodeJS.ErrnoException
  if (typeof errno !== 'string') return asMyKafkaError(error)
  return new MyKafkaError('KAFKA_STORAGE_ERROR', `${what}: ${(error as Error).message}`, {
    cause: error,
    errno,
    syscall,
  })
}

const NUMBERS = new Map<ErrorCode, number>()
const NAMES = new Map<number, KafkaErrorCode>()
for (const [name, { wire }] of Object.entries(KAFKA_ERRORS)) {
  if (wire === KAFKA_ERRORS.NONE.wire) continue
  NUMBERS.set(name as KafkaErrorCode, wire)
  NAMES.set(wire, name as KafkaErrorCode)
}
for (const [name, { travelsAs }] of Object.entries(LOCAL_ERRORS)) {
  NUMBERS.set(name as LocalErrorCode, KAFKA_ERRORS[travelsAs].wire)
}

/** Whether a string is a declared code. */
export function isErrorCode(name: string): name is ErrorCode {
  return NUMBERS.has(name as ErrorCode)
}

/**
 * The number that tells a peer of this error. A refusal of the file system (an error of Node's with an errno) and a lack
 * of memory are KAFKA_STORAGE_ERROR, behind which clients try again; anything else that is not ours UNKNOWN_SERVER_ERROR.
 */
export function wireCode(error: unknown): number {
  if (error instanceof MyKafkaError) return NUMBERS.get(error.code) ?? KAFKA_ERRORS.UNKNOWN_SERVER_ERROR.wire
  if (error instanceof Error && (typeof (error as NodeJS.ErrnoException).errno === 'number' || isOutOfMemory(error))) {
    return KAFKA_ERRORS.KAFKA_STORAGE_ERROR.wire
  }
  return KAFKA_ERRORS.UNKNOWN_SERVER_ERROR.wire
}

const OUT_OF_FILES: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE'])
const OUT_OF_REACH: ReadonlySet<unknown> = new Set([
  ...OUT_OF_FILES,
  ...['ENOSPC', 'EDQUOT', 'ENOMEM', 'EROFS', 'EACCES', 'EPERM'],
])

/** Whether the system had no file descriptor left: the same may succeed when others let go of theirs. */
export function isOutOfFiles(error: unknown): boolean {
  return isRefusal(error, OUT_OF_FILES)
}

/** Whether the system refused for want of something, or of rights: the same may succeed when that is there again. */
export function isOutOfReach(error: unknown): boolean {
  return isRefusal(error, OUT_OF_REACH)
}

function isRefusal(error: unknown, names: ReadonlySet<unknown>): boolean {
  if (!(error instanceof Error)) return false
  const name = error instanceof MyKafkaError ? error.errno : (error as NodeJS.ErrnoException).code
  if (names.has(name) || isRefusal(error.cause, names)) return true
  return error instanceof AggregateError && error.errors.some((each) => isRefusal(each, names))
}

/** Whether there was no memory for it: the same may succeed when others let go of theirs. */
export function isOutOfMemory(error: unknown): boolean {
  if (error instanceof MyKafkaError) return error.errno === 'ENOMEM'
  // V8, Node and the addon have no code for it, or one each.
  return error instanceof Error && /\b(allocation failed|allocate memory|bad_alloc)\b/i.test(error.message)
}

/** The error that a peer told by number. `context` says what was asked. */
export function errorFromWire(code: number, context: string): MyKafkaError {
  const name = NAMES.get(code)
  if (name === undefined) return new MyKafkaError('UNKNOWN_SERVER_ERROR', `${context}: error code ${code}`)
  return new MyKafkaError(name, `${context}: ${KAFKA_ERRORS[name].message}`)
}

/** Makes the errors of the native addon (see `setErrorFactory`). */
export function errorFromNative(code: string, message: string, errno: string | undefined): MyKafkaError {
  return new MyKafkaError(isErrorCode(code) ? code : 'UNKNOWN_SERVER_ERROR', message, { errno })
}

function declarationOf(code: ErrorCode): { readonly retriable: boolean; readonly message: string } {
  return code in KAFKA_ERRORS ? KAFKA_ERRORS[code as KafkaErrorCode] : LOCAL_ERRORS[code as LocalErrorCode]
}
