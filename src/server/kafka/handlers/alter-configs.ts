import { MyKafkaError } from '../../../errors.js'
import {
  type AlterConfigsRequest,
  type AlterConfigsResponse,
  alterConfigsApi,
} from '../../../wire/kafka/generated/alter-configs.js'
import { alterConfigs as alter, failedAlteration } from '../config-alteration.js'
import type { KafkaHandler } from '../kafka-handler.js'

/** AlterConfigs 0–2: a topic has what the request lists, and the defaults beside that. */
export const alterConfigs: KafkaHandler<AlterConfigsRequest, AlterConfigsResponse> = {
  api: alterConfigsApi,
  versions: [0, 2],
  async handle({ resources, validateOnly }, { context }) {
    const responses = await alter(
      {
        api: 'AlterConfigs',
        resources,
        validateOnly,
        change: ({ configs }) =>
          Object.fromEntries(
            configs.map(({ name, value }) => {
              if (value === null) throw new MyKafkaError('INVALID_REQUEST', `${name} has no value`)
              return [name, value]
            }),
          ),
      },
      context,
    )
    return { responses }
  },
  failed: failedAlteration,
}
