/** Label values come from a fixed vocabulary. This limit protects memory if a label value ever does not. */
const seriesMax = 2_000

interface Family {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  render(name: string): string[]
}

/** The label values identify a series, in the order of the metric's label names. */
export interface Counter {
  add(values: readonly string[], amount?: number): void
}

export interface Histogram {
  observe(values: readonly string[], value: number): void
}

/** Finds a series by its label values without building a temporary string. */
class SeriesTree<Series> {
  readonly #root = new Map<string, unknown>()
  readonly #make: () => Series
  readonly all: { values: readonly string[]; series: Series }[] = []

  constructor(make: () => Series) {
    this.#make = make
  }

  find(values: readonly string[]): Series | undefined {
    let node: Map<string, unknown> = this.#root
    const last = values.length - 1
    for (let depth = 0; depth < last; depth += 1) {
      const value = values[depth] ?? ''
      let child = node.get(value)
      if (child === undefined) {
        if (this.all.length >= seriesMax) return undefined
        child = new Map<string, unknown>()
        node.set(value, child)
      }
      node = child as Map<string, unknown>
    }
    const value = values[last] ?? ''
    const known = node.get(value)
    if (known !== undefined) return known as Series
    if (this.all.length >= seriesMax) return undefined
    const series = this.#make()
    node.set(value, series)
    this.all.push({ values, series })
    return series
  }
}

/** The kinds of metric that the gateway needs, in Prometheus' text format. */
export class Metrics {
  readonly #families = new Map<string, Family>()

  counter(name: string, help: string, labelNames: readonly string[]): Counter {
    const tree = new SeriesTree(() => ({ value: 0 }))
    this.#families.set(name, {
      type: 'counter',
      help,
      render: () =>
        tree.all.map(
          ({ values, series }) => `${name}${renderLabels(labelNames, values)} ${series.value}`,
        ),
    })
    return {
      add: (values, amount = 1) => {
        const series = tree.find(values)
        if (series) series.value += amount
      },
    }
  }

  gauge(name: string, help: string, read: () => number): void {
    this.#families.set(name, { type: 'gauge', help, render: () => [`${name} ${read()}`] })
  }

  /** One gauge for each value of a label. */
  gauges(
    name: string,
    help: string,
    labelName: string,
    read: () => ReadonlyMap<string, number>,
  ): void {
    const render = () =>
      [...read()].map(([label, value]) => `${name}${renderLabels([labelName], [label])} ${value}`)
    this.#families.set(name, { type: 'gauge', help, render })
  }

  histogram(
    name: string,
    help: string,
    labelNames: readonly string[],
    bounds: readonly number[],
  ): Histogram {
    const tree = new SeriesTree(() => ({ counts: bounds.map(() => 0), sum: 0, count: 0 }))
    this.#families.set(name, {
      type: 'histogram',
      help,
      render: () =>
        tree.all.flatMap(({ values, series }) => {
          const labels = (le?: string) =>
            le === undefined
              ? renderLabels(labelNames, values)
              : renderLabels([...labelNames, 'le'], [...values, le])
          return renderHistogram(name, labels, bounds, series)
        }),
    })
    return {
      observe: (values, value) => {
        const series = tree.find(values)
        if (!series) return
        let index = 0
        while (index < bounds.length && value > (bounds[index] ?? 0)) index += 1
        if (index < bounds.length) series.counts[index] = (series.counts[index] ?? 0) + 1
        series.sum += value
        series.count += 1
      },
    }
  }

  render(): string {
    const lines: string[] = []
    for (const [name, family] of this.#families) {
      lines.push(
        `# HELP ${name} ${family.help}`,
        `# TYPE ${name} ${family.type}`,
        ...family.render(name),
      )
    }
    return `${lines.join('\n')}\n`
  }
}

function renderHistogram(
  name: string,
  labels: (le?: string) => string,
  bounds: readonly number[],
  series: { counts: readonly number[]; sum: number; count: number },
): string[] {
  let running = 0
  const buckets = bounds.map((bound, index) => {
    running += series.counts[index] ?? 0
    return `${name}_bucket${labels(String(bound))} ${running}`
  })
  return [
    ...buckets,
    `${name}_bucket${labels('+Inf')} ${series.count}`,
    `${name}_sum${labels()} ${series.sum}`,
    `${name}_count${labels()} ${series.count}`,
  ]
}

function renderLabels(names: readonly string[], values: readonly string[]): string {
  if (names.length === 0) return ''
  const pairs = names.map((name, index) => {
    const value = (values[index] ?? '').replace(/[\\"\n]/g, (each) =>
      each === '\n' ? '\\n' : `\\${each}`,
    )
    return `${name}="${value}"`
  })
  return `{${pairs.join(',')}}`
}
