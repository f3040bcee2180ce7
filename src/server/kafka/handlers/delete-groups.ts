import {
  type DeleteGroupsRequest,
  type DeleteGroupsResponse,
  deleteGroupsApi,
} from '../../../wire/kafka/generated/delete-groups.js'
import { sideBySideInTurns } from '../in-turns.js'
import type { KafkaHandler } from '../kafka-handler.js'

/** DeleteGroups 0–2: empty groups go, with what they committed. */
export const deleteGroups: KafkaHandler<DeleteGroupsRequest, DeleteGroupsResponse> = {
  api: deleteGroupsApi,
  versions: [0, 2],
  async handle({ groupsNames }, { context }) {
    const remove = async (groupId: string): Promise<number> => {
      try {
        return await context.groups.admin.delete(groupId)
      } catch (error) {
        return context.failures.report('DeleteGroups', error)
      }
    }
    const names = [...new Set(groupsNames)]
    return {
      results: await sideBySideInTurns(names, async (groupId) => ({ groupId, errorCode: await remove(groupId) })),
    }
  },
  failed: ({ groupsNames }, errorCode) => ({
    results: [...new Set(groupsNames)].map((groupId) => ({ groupId, errorCode })),
  }),
}
