import { readFileSync } from 'node:fs'
import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os'

/** Where figures were measured. The load is that at the end: another's work on the machine shows in it. */
export function describeMachine(): object {
  const processors = cpus()
  return {
    cpu: processors[0]?.model ?? 'unknown',
    cores: processors.length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${platform()} ${arch()}`,
    kernel: release(),
    node: process.version,
    congestionControl: congestionControl(),
    loadAverage: loadavg().map((load) => Number(load.toFixed(2))),
  }
}

/** One that paces (bbr) has its say over the loopback as well. */
function congestionControl(): string {
  try {
    return readFileSync('/proc/sys/net/ipv4/tcp_congestion_control', 'utf8').trim()
  } catch {
    return 'unknown'
  }
}
