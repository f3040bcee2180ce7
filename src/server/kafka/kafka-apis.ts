import { apiVersions } from './handlers/api-versions.js'
import { initProducerId } from './handlers/init-producer-id.js'
import { metadata } from './handlers/metadata.js'
import { offsetForLeaderEpoch } from './handlers/offset-for-leader-epoch.js'
import { type ServedApi, serve } from './served-api.js'

/** Every API of Kafka's that this broker serves, by its key. */
export const KAFKA_APIS: readonly ServedApi[] = [
  serve(metadata),
  serve(apiVersions),
  serve(initProducerId),
  serve(offsetForLeaderEpoch),
]
