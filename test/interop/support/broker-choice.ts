/** MYKAFKA_INTEROP_BROKER=apache has the clients meet Apache Kafka, to try the tests themselves. */
export const isApacheKafka = process.env.MYKAFKA_INTEROP_BROKER === 'apache'
