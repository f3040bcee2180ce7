import { describeMessages } from '../support/kafka-codec-properties.js'

describeMessages(2)
