import {
  type ListGroupsRequest,
  type ListGroupsResponse,
  listGroupsApi,
} from '../../../wire/kafka/generated/list-groups.js'
import type { KafkaHandler } from '../kafka-handler.js'

/** ListGroups 0–5: all groups, or those in the states and of the types named. */
export const listGroups: KafkaHandler<ListGroupsRequest, ListGroupsResponse> = {
  api: listGroupsApi,
  versions: [0, 5],
  handle: ({ statesFilter, typesFilter }, { context }) => ({
    errorCode: 0,
    groups: context.groups.admin.list(statesFilter, typesFilter).map(({ groupId, protocolType, state, type }) => ({
      groupId,
      protocolType,
      groupState: state,
      groupType: type,
    })),
  }),
  failed: (_, errorCode) => ({ errorCode, groups: [] }),
}
