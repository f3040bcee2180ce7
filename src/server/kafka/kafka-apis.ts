import { apiVersions } from './handlers/api-versions.js'
import { type ServedApi, serve } from './served-api.js'

/** Every API of Kafka's that this broker serves, by its key. */
export const KAFKA_APIS: readonly ServedApi[] = [serve(apiVersions)]
