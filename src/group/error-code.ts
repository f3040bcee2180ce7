import { KAFKA_ERRORS } from '../errors.js'

/** The number of one of Kafka's errors. */
export function codeOf(name: keyof typeof KAFKA_ERRORS): number {
  return KAFKA_ERRORS[name].wire
}
