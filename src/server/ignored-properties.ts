/** What there is nothing of here, and how the names of Kafka's settings for it begin. */
export const IGNORED: readonly [reason: string, beginnings: readonly string[]][] = [
  ['there are no plug-ins', ['authorizer.', 'create.topic.policy.', 'alter.config.policy.', 'replica.selector.']],
  ['there is no ZooKeeper', ['zookeeper.']],
  [
    'there is no quorum of controllers',
    [
      ...['process.roles', 'controller.', 'metadata.', 'initial.broker.registration.', 'broker.heartbeat.'],
      ...['broker.session.', 'early.start.', 'server.max.startup.', 'unstable.', 'eligible.leader.', 'control.plane.'],
    ],
  ],
  [
    'there is one broker',
    [
      ...['replica.', 'replication.', 'inter.broker.', 'num.replica.', 'auto.leader.rebalance.', 'leader.'],
      ...['unclean.leader.election.interval.', 'follower.', 'controlled.', 'reserved.broker.', 'broker.id.generation.'],
      ...['fetch.purgatory.', 'producer.purgatory.', 'delete.records.purgatory.'],
    ],
  ],
  ['threads are not set', ['num.network.threads', 'num.io.threads', 'num.recovery.threads.', 'background.threads']],
  ['buffers and queues are not set', ['socket.', 'queued.']],
  [
    'connections are limited by max.connections and max.connections.per.ip',
    ['max.connection.', 'connection.', 'connections.'],
  ],
  ['the broker lays out its own topics', ['offsets.topic.', 'offsets.load.', 'offsets.commit.', 'group.coordinator.']],
  ['there are no transactions', ['transaction.', 'transactional.']],
  ['groups are classic ones', ['group.consumer.', 'group.share.', 'group.streams.', 'share.']],
  [
    'only PLAINTEXT is served',
    ['ssl.', 'sasl.', 'security.', 'super.users', 'principal.', 'password.encoder.', 'delegation.token.'],
  ],
  ['there is no tiered storage', ['remote.', 'log.remote.']],
  ['there are no quotas', ['quota.', 'client.quota.', 'alter.log.dirs.']],
  [
    'there are no metrics',
    ['metric.', 'metrics.', 'kafka.metrics.', 'auto.include.jmx.', 'telemetry.', 'client.metrics.'],
  ],
  [
    'it is fixed',
    [
      ...['request.timeout.ms', 'max.request.partition.', 'log.dir.failure.', 'log.initial.task.'],
      ...['log.flush.start.offset.', 'producer.id.expiration.check.', 'log.deletion.', 'compression.'],
    ],
  ],
  ['it is of another program', ['confluent.']],
]

/** Why a setting of Kafka's has no meaning here; null for a name that is not Kafka's. */
export function whyIgnored(name: string): string | null {
  const found = IGNORED.find(([, beginnings]) => beginnings.some((beginning) => name.startsWith(beginning)))
  return found?.[0] ?? null
}

/** Settings that must not be ignored: what they ask for protects something. By name: the values that ask for nothing. */
const PROTECTING: Readonly<Record<string, readonly string[]>> = {
  'authorizer.class.name': [''],
  'create.topic.policy.class.name': [''],
  'alter.config.policy.class.name': [''],
  'principal.builder.class': [''],
  'security.inter.broker.protocol': ['PLAINTEXT'],
  'ssl.client.auth': ['none'],
  'remote.log.storage.system.enable': ['false'],
}

/** Whether a value asks for what there is not, and what a broker without it must not pretend to have. */
export function isImpossible(name: string, value: string): boolean {
  return PROTECTING[name]?.includes(value) === false
}
