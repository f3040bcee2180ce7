import { apiVersions } from './handlers/api-versions.js'
import { deleteGroups } from './handlers/delete-groups.js'
import { describeGroups } from './handlers/describe-groups.js'
import { findCoordinator } from './handlers/find-coordinator.js'
import { heartbeat } from './handlers/heartbeat.js'
import { initProducerId } from './handlers/init-producer-id.js'
import { joinGroup } from './handlers/join-group.js'
import { leaveGroup } from './handlers/leave-group.js'
import { listGroups } from './handlers/list-groups.js'
import { metadata } from './handlers/metadata.js'
import { offsetCommit } from './handlers/offset-commit.js'
import { offsetDelete } from './handlers/offset-delete.js'
import { offsetFetch } from './handlers/offset-fetch.js'
import { offsetForLeaderEpoch } from './handlers/offset-for-leader-epoch.js'
import { syncGroup } from './handlers/sync-group.js'
import { type ServedApi, serve } from './served-api.js'

/** Every API of Kafka's that this broker serves, by its key. */
export const KAFKA_APIS: readonly ServedApi[] = [
  serve(metadata),
  serve(offsetCommit),
  serve(offsetFetch),
  serve(findCoordinator),
  serve(joinGroup),
  serve(heartbeat),
  serve(leaveGroup),
  serve(syncGroup),
  serve(describeGroups),
  serve(listGroups),
  serve(apiVersions),
  serve(initProducerId),
  serve(offsetForLeaderEpoch),
  serve(deleteGroups),
  serve(offsetDelete),
]
