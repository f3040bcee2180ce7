import { setImmediate as turn } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { GroupClient } from '../support/group-client.js'
import { TestGroups } from '../support/groups.js'
import { testRandom } from '../support/random.js'

/** In seconds: as long as a first join that nobody waits for can hold a group up, and the rebalances behind it. */
const QUIET_ROUNDS = 900

async function settled(groups: TestGroups, clients: readonly GroupClient[]): Promise<boolean> {
  for (let round = 0; round < QUIET_ROUNDS; round++) {
    for (const client of clients) client.step()
    vi.advanceTimersByTime(1_000)
    await turn()
    const { state, members } = groups.coordinator.admin.describe('g')
    const generations = new Set(clients.map(({ stableGeneration }) => stableGeneration))
    const ids = clients.map(({ memberId }) => memberId).sort()
    const known = members.map(({ memberId }) => memberId).sort()
    if (state === 'Stable' && generations.size === 1 && !generations.has(null) && `${ids}` === `${known}`) return true
  }
  return false
}

it('whatever members do, those that live come to one generation in which each has what the leader gave it', async () => {
  const random = testRandom()
  for (let run = 0; run < 12; run++) {
    const groups = await TestGroups.start({ initialRebalanceDelayMs: random.pick([0, 0, 3_000]) })
    const clients = Array.from(
      { length: random.integer(1, 6) },
      (_, i) => new GroupClient(groups, random.next() < 0.3 ? `i${i}` : null),
    )
    for (let round = 0; round < 150; round++) {
      for (const client of clients) {
        const dice = random.next()
        if (dice < 0.03) client.restart()
        else if (dice < 0.06) client.leave()
        else if (dice < 0.8) client.step()
      }
      if (random.next() < 0.02) await groups.restart()
      vi.advanceTimersByTime(random.pick([0, 0, 100, 1_000, 3_000]))
      if (random.next() < 0.8) await turn()
    }
    if (!(await settled(groups, clients))) {
      expect(groups.coordinator.admin.describe('g')).toBe(clients.map(({ memberId }) => memberId))
    }
    groups.coordinator.close()
    await turn()
    expect(clients.filter(({ isWaiting }) => isWaiting)).toEqual([])
    vi.useRealTimers()
  }
})
