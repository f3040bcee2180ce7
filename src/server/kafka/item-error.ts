import { MyKafkaError } from '../../errors.js'
import type { KafkaContext } from './kafka-handler.js'

/** How responses of the administrative APIs tell of an error of one item. */
export interface ItemError {
  errorCode: number
  errorMessage: string | null
}

export const NO_ERROR: Readonly<ItemError> = { errorCode: 0, errorMessage: null }

/** What a client is told in words holds what it sent, a name say: more than this of it helps nobody. */
const MOST_CHARACTERS = 1000

/** A message as a response can hold it. */
export function shortened(message: string): string {
  return message.length > MOST_CHARACTERS ? `${message.slice(0, MOST_CHARACTERS)}…` : message
}

/** The error of one item of a request, reported. What is not an error of ours by design is not told in words. */
export function itemError(api: string, error: unknown, { failures }: KafkaContext): ItemError {
  const errorMessage = error instanceof MyKafkaError ? shortened(error.message) : null
  return { errorCode: failures.report(api, error), errorMessage }
}

/** The error of one item, or none. */
export async function outcome(api: string, work: () => Promise<unknown>, context: KafkaContext): Promise<ItemError> {
  try {
    await work()
    return NO_ERROR
  } catch (error) {
    return itemError(api, error, context)
  }
}
