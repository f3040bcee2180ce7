/** The value below which this part of the samples lies, by the nearest rank. */
export function quantile(samples: ArrayLike<number>, part: number): number {
  const sorted = Float64Array.from(samples).sort()
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(part * sorted.length) - 1))] ?? Number.NaN
}

export function median(samples: ArrayLike<number>): number {
  return quantile(samples, 0.5)
}

/** With so many significant digits, as a table shows it. */
export function round(value: number, digits = 3): number {
  return Number(value.toPrecision(digits))
}

/** How many times as much, as a table shows it. */
export function times(ratio: number): string {
  return `${round(ratio, ratio >= 10 ? 3 : 2)}×`
}

/**
 * Measures variants in turns, so that what else happens on the machine meets all of them. Each round begins with
 * another variant; the first rounds, in which V8 compiles, do not count.
 */
export async function interleave<Name extends string, Sample>(
  variants: Readonly<Record<Name, () => Promise<Sample>>>,
  { rounds, warmups }: { rounds: number; warmups: number },
): Promise<Record<Name, Sample[]>> {
  const names = Object.keys(variants) as Name[]
  const samples = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Sample[]>
  for (let turn = 0; turn < warmups + rounds; turn++) {
    for (let i = 0; i < names.length; i++) {
      const name = names[(turn + i) % names.length] as Name
      const sample = await variants[name]()
      if (turn >= warmups) samples[name].push(sample)
    }
  }
  return samples
}

/** Milliseconds that it takes. */
export async function timed(run: () => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  await run()
  return performance.now() - begin
}
