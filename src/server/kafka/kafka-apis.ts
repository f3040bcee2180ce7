import type { ServedApi } from './served-api.js'

/** Every API of Kafka's that this broker serves: `serve(handler)` of each, by its key. */
export const KAFKA_APIS: readonly ServedApi[] = []
