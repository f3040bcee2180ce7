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
    loadAverage: loadavg().map((load) => Number(load.toFixed(2))),
  }
}
