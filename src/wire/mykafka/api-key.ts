/** MyKafka's calls, by their number on the wire. */
export const API_KEY = {
  PRODUCE: 0,
  FETCH: 1,
  CREATE_TOPIC: 2,
  COMMIT_OFFSET: 3,
  FETCH_OFFSET: 4,
  METADATA: 5,
  DESCRIBE_STORAGE: 6,
  AWAIT: 7,
} as const

/** The name of a call. */
export type ApiName = keyof typeof API_KEY

/** The number of a call. */
export type ApiKey = (typeof API_KEY)[ApiName]

const NAMES = Object.keys(API_KEY) as ApiName[]

/** The name of a call, for messages; `call 9` where there is none. */
export function apiName(apiKey: number): string {
  return NAMES[apiKey] ?? `call ${apiKey}`
}

/** Whether a number is that of a call. */
export function isApiKey(apiKey: number): apiKey is ApiKey {
  return apiKey >= 0 && apiKey < NAMES.length
}
