import { KAFKA_ERRORS } from '../../errors.js'
import { API_KEY, type ApiKey } from './api-key.js'
import * as awaitCall from './await.js'
import * as commitOffset from './commit-offset.js'
import * as createTopic from './create-topic.js'
import * as describeStorage from './describe-storage.js'
import * as fetch from './fetch.js'
import * as fetchOffset from './fetch-offset.js'
import * as metadata from './metadata.js'
import * as produce from './produce.js'

const ALREADY_EXISTS = KAFKA_ERRORS.TOPIC_ALREADY_EXISTS.wire

/**
 * The response of a call that failed, where there is nothing else to say. CREATE_TOPIC has a status of its
 * own: everything but "exists" is INVALID.
 *
 * @param partition - what a PRODUCE was for; -1 where that is not known
 */
export function encodeErrorResponse(apiKey: ApiKey, errorCode: number, partition = produce.ANY_PARTITION): Buffer {
  switch (apiKey) {
    case API_KEY.PRODUCE:
      return produce.encodeResponse(errorCode, partition, -1, 0)
    case API_KEY.FETCH:
      return fetch.encodeResponseHead(errorCode, 0, 0)
    case API_KEY.CREATE_TOPIC: {
      const { ALREADY_EXISTS: exists, INVALID: invalid } = createTopic.CREATE_TOPIC_STATUS
      return createTopic.encodeResponse(errorCode === ALREADY_EXISTS ? exists : invalid)
    }
    case API_KEY.COMMIT_OFFSET:
      return commitOffset.encodeResponse(errorCode)
    case API_KEY.FETCH_OFFSET:
      return fetchOffset.encodeResponse(errorCode, fetchOffset.NO_OFFSET)
    case API_KEY.METADATA:
      return metadata.encodeResponse(errorCode, [])
    case API_KEY.DESCRIBE_STORAGE:
      return describeStorage.encodeResponse(errorCode, null)
    case API_KEY.AWAIT:
      return awaitCall.encodeResponse(errorCode, [])
  }
}
