/**
 * The partition that Kafka's default partitioner gives a key. Written anew, from Kafka's definition: the check must not
 * ask the broker's own code whether the broker is right.
 *
 * @param {Buffer} key
 * @param {number} partitions
 */
export function expectedPartition(key, partitions) {
  const m = 0x5bd1e995n
  const word = (number) => BigInt.asUintN(32, number)
  let hash = word(0x9747b28cn ^ BigInt(key.length))
  const whole = key.length - (key.length % 4)
  for (let at = 0; at < whole; at += 4) {
    let k = word(BigInt(key.readUInt32LE(at)) * m)
    k = word((k ^ (k >> 24n)) * m)
    hash = word(hash * m) ^ k
  }
  if (whole < key.length) {
    const rest = BigInt(key.readUIntLE(whole, key.length - whole))
    hash = word((hash ^ rest) * m)
  }
  hash = word((hash ^ (hash >> 13n)) * m)
  hash ^= hash >> 15n
  return Number((hash & 0x7fffffffn) % BigInt(partitions))
}
