import { alterConfigs } from './handlers/alter-configs.js'
import { apiVersions } from './handlers/api-versions.js'
import { createPartitions } from './handlers/create-partitions.js'
import { createTopics } from './handlers/create-topics.js'
import { deleteGroups } from './handlers/delete-groups.js'
import { deleteRecords } from './handlers/delete-records.js'
import { deleteTopics } from './handlers/delete-topics.js'
import { describeCluster } from './handlers/describe-cluster.js'
import { describeConfigs } from './handlers/describe-configs.js'
import { describeGroups } from './handlers/describe-groups.js'
import { describeLogDirs } from './handlers/describe-log-dirs.js'
import { describeTopicPartitions } from './handlers/describe-topic-partitions.js'
import { fetch } from './handlers/fetch.js'
import { findCoordinator } from './handlers/find-coordinator.js'
import { heartbeat } from './handlers/heartbeat.js'
import { incrementalAlterConfigs } from './handlers/incremental-alter-configs.js'
import { initProducerId } from './handlers/init-producer-id.js'
import { joinGroup } from './handlers/join-group.js'
import { leaveGroup } from './handlers/leave-group.js'
import { listGroups } from './handlers/list-groups.js'
import { listOffsets } from './handlers/list-offsets.js'
import { metadata } from './handlers/metadata.js'
import { offsetCommit } from './handlers/offset-commit.js'
import { offsetDelete } from './handlers/offset-delete.js'
import { offsetFetch } from './handlers/offset-fetch.js'
import { offsetForLeaderEpoch } from './handlers/offset-for-leader-epoch.js'
import { produce } from './handlers/produce.js'
import { syncGroup } from './handlers/sync-group.js'
import { type ServedApi, serve } from './served-api.js'

/** Every API of Kafka's that this broker serves, by its key. */
export const KAFKA_APIS: readonly ServedApi[] = [
  serve(produce),
  serve(fetch),
  serve(listOffsets),
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
  serve(createTopics),
  serve(deleteTopics),
  serve(deleteRecords),
  serve(describeConfigs),
  serve(alterConfigs),
  serve(describeLogDirs),
  serve(createPartitions),
  serve(incrementalAlterConfigs),
  serve(describeCluster),
  serve(describeTopicPartitions),
]
