/** How the values of several workers are combined. */
export type Join = 'sum' | 'largest' | 'smallest'

/** The name of a series with its labels, as Prometheus' text format writes it, and its value. */
export type Sample = readonly [series: string, value: number]

/** A metric with the values that it has now. */
export interface MetricFamily {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly join: Join
  readonly samples: readonly Sample[]
}

const joins: Readonly<Record<Join, (left: number, right: number) => number>> = {
  sum: (left, right) => left + right,
  largest: Math.max,
  smallest: Math.min,
}

/** One list out of the lists of several workers, in the order in which the metrics first occur. */
export function joinFamilies(lists: readonly (readonly MetricFamily[])[]): MetricFamily[] {
  const joined = new Map<string, { family: MetricFamily; samples: Map<string, number> }>()
  for (const family of lists.flat()) {
    const known = joined.get(family.name) ?? { family, samples: new Map<string, number>() }
    joined.set(family.name, known)
    for (const [series, value] of family.samples) {
      const before = known.samples.get(series)
      known.samples.set(series, before === undefined ? value : joins[family.join](before, value))
    }
  }
  return [...joined.values()].map(({ family, samples }) => ({ ...family, samples: [...samples] }))
}

/** The values that still count after their worker has ended, so that no counter goes back. */
export function keepCounts(families: readonly MetricFamily[]): MetricFamily[] {
  return families.filter(({ type, join }) => type !== 'gauge' && join === 'sum')
}

export function renderFamilies(families: readonly MetricFamily[]): string {
  const lines = families.flatMap(({ name, type, help, samples }) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(([series, value]) => `${series} ${value}`),
  ])
  return `${lines.join('\n')}\n`
}
