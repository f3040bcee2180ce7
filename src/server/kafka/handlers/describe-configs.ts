import { MyKafkaError } from '../../../errors.js'
import {
  type DescribeConfigsRequest,
  type DescribeConfigsRequestResource,
  type DescribeConfigsResponse,
  type DescribeConfigsResponseResult,
  describeConfigsApi,
} from '../../../wire/kafka/generated/describe-configs.js'
import { describeBrokerConfigs } from '../broker-config-description.js'
import type { ConfigDescription } from '../config-description.js'
import { RESOURCE, requireThisBroker, requireTopic } from '../config-resource.js'
import { grouped } from '../grouped.js'
import { inTurns } from '../in-turns.js'
import { itemError, NO_ERROR } from '../item-error.js'
import type { KafkaContext, KafkaHandler } from '../kafka-handler.js'
import { describeTopicConfigs } from '../topic-config-description.js'

/** DescribeConfigs 0–4: of topics and of this broker. */
export const describeConfigs: KafkaHandler<DescribeConfigsRequest, DescribeConfigsResponse> = {
  api: describeConfigsApi,
  versions: [0, 4],
  async handle({ resources, includeSynonyms, includeDocumentation }, { context }) {
    const results = await inTurns([...grouped(resources, keyOf).values()], (asked) => {
      const resource = asked[0] as DescribeConfigsRequestResource
      const { resourceType, resourceName } = resource
      try {
        const wanted = wantedOf(asked)
        const configs = describe(resource, context)
          .filter(({ name }) => wanted === null || wanted.has(name))
          .map((config) => ({
            ...config,
            synonyms: includeSynonyms ? config.synonyms : [],
            documentation: includeDocumentation ? config.documentation : null,
          }))
        return { ...NO_ERROR, resourceType, resourceName, configs }
      } catch (error) {
        return { ...undescribed(resource), ...itemError('DescribeConfigs', error, context) }
      }
    })
    return { results }
  },
  failed: ({ resources }, errorCode) => ({
    results: resources.map((resource) => ({ ...undescribed(resource), errorCode })),
  }),
}

function keyOf({ resourceType, resourceName }: DescribeConfigsRequestResource): string {
  return `${resourceType} ${resourceName}`
}

/** The configurations asked for; null: all. */
function wantedOf(asked: readonly DescribeConfigsRequestResource[]): Set<string> | null {
  if (asked.some(({ configurationKeys }) => !configurationKeys?.length)) return null
  return new Set(asked.flatMap(({ configurationKeys }) => configurationKeys ?? []))
}

function undescribed({ resourceType, resourceName }: DescribeConfigsRequestResource): DescribeConfigsResponseResult {
  return { ...NO_ERROR, resourceType, resourceName, configs: [] }
}

function describe(
  { resourceType, resourceName }: DescribeConfigsRequestResource,
  context: KafkaContext,
): ConfigDescription[] {
  switch (resourceType) {
    case RESOURCE.topic:
      return describeTopicConfigs(requireTopic(resourceName, context), context)
    case RESOURCE.broker:
      // The defaults of all brokers can be changed in a running Kafka. Here there are none.
      if (resourceName === '') return []
      requireThisBroker(resourceName, context)
      return describeBrokerConfigs(context.config, context.logs.dataDirectory)
    default:
      throw new MyKafkaError('INVALID_REQUEST', `there are no configurations of resources of type ${resourceType}`)
  }
}
