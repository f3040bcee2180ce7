import { MyKafkaError } from '../../../errors.js'
import { listParts } from '../../../topic/config-definition.js'
import { TOPIC_CONFIGS, type TopicConfig } from '../../../topic/topic-configs.js'
import {
  type IncrementalAlterConfigsRequest,
  type IncrementalAlterConfigsRequestConfig,
  type IncrementalAlterConfigsResponse,
  incrementalAlterConfigsApi,
} from '../../../wire/kafka/generated/incremental-alter-configs.js'
import { alterConfigs, failedAlteration } from '../config-alteration.js'
import type { KafkaHandler } from '../kafka-handler.js'

const SET = 0
const DELETE = 1
const APPEND = 2
const SUBTRACT = 3

/** IncrementalAlterConfigs 0–1: sets and deletes configurations of a topic, adds to lists and takes out of them. */
export const incrementalAlterConfigs: KafkaHandler<IncrementalAlterConfigsRequest, IncrementalAlterConfigsResponse> = {
  api: incrementalAlterConfigsApi,
  versions: [0, 1],
  async handle({ resources, validateOnly }, { context }) {
    const change = ({ configs }: { configs: readonly IncrementalAlterConfigsRequestConfig[] }, config: TopicConfig) =>
      configs.reduce(applied, config)
    return {
      responses: await alterConfigs({ api: 'IncrementalAlterConfigs', resources, validateOnly, change }, context),
    }
  },
  failed: failedAlteration,
}

function applied(
  config: TopicConfig,
  { name, configOperation, value }: IncrementalAlterConfigsRequestConfig,
): TopicConfig {
  if (configOperation === DELETE) {
    if (config[name] === undefined) return config
    const { [name]: _, ...others } = config
    return others
  }
  // Each makes the configuration anew: a request cannot be of more than there are.
  const definition = TOPIC_CONFIGS.get(name)
  if (definition === undefined) throw new MyKafkaError('INVALID_CONFIG', `unknown topic configuration: ${name}`)
  if (value === null) throw new MyKafkaError('INVALID_REQUEST', `${name} has no value`)
  if (configOperation === SET) return { ...config, [name]: value }
  if (configOperation !== APPEND && configOperation !== SUBTRACT) {
    throw new MyKafkaError('INVALID_REQUEST', `there is no operation ${configOperation}`)
  }
  if (definition.type !== 'list') {
    throw new MyKafkaError('INVALID_CONFIG', `${name} is no list: nothing can be added to it or taken out of it`)
  }
  const before = listParts(config[name] ?? definition.default ?? '')
  const given = listParts(value)
  const [there, named] = [new Set(before), new Set(given)]
  const after =
    configOperation === APPEND
      ? [...before, ...given.filter((part) => !there.has(part))]
      : before.filter((part) => !named.has(part))
  return { ...config, [name]: after.join(',') }
}
