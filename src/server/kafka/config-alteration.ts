import { MyKafkaError } from '../../errors.js'
import type { TopicConfig } from '../../topic/topic-configs.js'
import { RESOURCE, requireThisBroker, requireTopic } from './config-resource.js'
import { repeated } from './grouped.js'
import { sideBySideInTurns } from './in-turns.js'
import { type ItemError, itemError, NO_ERROR } from './item-error.js'
import type { KafkaContext } from './kafka-handler.js'

/** A resource whose configurations are to change. */
export interface AlteredResource {
  readonly resourceType: number
  readonly resourceName: string
  readonly configs: readonly { readonly name: string; readonly value: string | null }[]
}

/** How the change of one resource ended. */
export interface AlteredOutcome extends ItemError {
  resourceType: number
  resourceName: string
}

/** What AlterConfigs and IncrementalAlterConfigs have in common. */
export interface Alteration<Resource extends AlteredResource> {
  readonly api: string
  readonly resources: readonly Resource[]
  readonly validateOnly: boolean
  /** The configurations that a topic is to have. */
  readonly change: (resource: Resource, config: TopicConfig) => TopicConfig
}

/** Changes the configurations of resources, each for itself. */
export async function alterConfigs<Resource extends AlteredResource>(
  alteration: Alteration<Resource>,
  context: KafkaContext,
): Promise<AlteredOutcome[]> {
  const { api, resources } = alteration
  const twice = repeated(resources.map(keyOf))
  return await sideBySideInTurns(resources, async (resource) => {
    const { resourceType, resourceName } = resource
    try {
      if (twice.has(keyOf(resource))) throw new MyKafkaError('INVALID_REQUEST', 'the resource is there more than once')
      await alter(resource, alteration, context)
      return { ...NO_ERROR, resourceType, resourceName }
    } catch (error) {
      return { ...itemError(api, error, context), resourceType, resourceName }
    }
  })
}

/** The answer where the request as a whole fails. */
export function failedAlteration(
  { resources }: { readonly resources: readonly AlteredResource[] },
  errorCode: number,
): { responses: AlteredOutcome[] } {
  return {
    responses: resources.map(({ resourceType, resourceName }) => ({
      resourceType,
      resourceName,
      errorCode,
      errorMessage: null,
    })),
  }
}

function keyOf({ resourceType, resourceName }: AlteredResource): string {
  return `${resourceType} ${resourceName}`
}

async function alter<Resource extends AlteredResource>(
  resource: Resource,
  { validateOnly, change }: Alteration<Resource>,
  context: KafkaContext,
): Promise<void> {
  const { resourceType, resourceName, configs } = resource
  const [twice] = repeated(configs.map(({ name }) => name))
  if (twice !== undefined) throw new MyKafkaError('INVALID_REQUEST', `${twice} is there more than once`)
  if (resourceType === RESOURCE.topic) {
    requireTopic(resourceName, context)
    await context.logs.alterConfig(resourceName, (config) => change(resource, config), { validateOnly })
    return
  }
  if (resourceType !== RESOURCE.broker) {
    throw new MyKafkaError('INVALID_REQUEST', `there are no configurations of resources of type ${resourceType}`)
  }
  if (resourceName !== '') requireThisBroker(resourceName, context)
  if (configs.length === 0) return
  const names = configs.map(({ name }) => name).join(', ')
  throw new MyKafkaError('INVALID_REQUEST', `a running broker's settings cannot be changed: ${names}`)
}
