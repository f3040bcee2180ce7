import { KAFKA_ERRORS } from '../../../errors.js'
import {
  type ApiVersionsRequest,
  type ApiVersionsResponse,
  apiVersionsApi,
} from '../../../wire/kafka/generated/api-versions.js'
import { encodeResponse, type RequestHeader } from '../../../wire/kafka/request-header.js'
import type { RoutedResponse } from '../../request-router.js'
import type { ApiRange, KafkaHandler } from '../kafka-handler.js'

/** ApiVersions 0–4: what is served, from the list of handlers. No features. */
export const apiVersions: KafkaHandler<ApiVersionsRequest, ApiVersionsResponse> = {
  api: apiVersionsApi,
  versions: [0, 4],
  handle: (_, { context }) => ({ errorCode: 0, apiKeys: context.apis }),
  failed: (_, errorCode) => ({ errorCode, apiKeys: [] }),
}

/** To a version that is not served: a client that asks which versions there are can read an answer of version 0. */
export function refuseApiVersions({ correlationId }: RequestHeader, apis: readonly ApiRange[]): RoutedResponse {
  const apiKeys = apis.filter(({ apiKey }) => apiKey === apiVersionsApi.key)
  const response = { errorCode: KAFKA_ERRORS.UNSUPPORTED_VERSION.wire, apiKeys }
  return encodeResponse(apiVersionsApi, response, 0, correlationId)
}
