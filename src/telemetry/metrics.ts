import { LabelTree } from './label-tree.ts'
import { type Join, type MetricFamily, renderFamilies, type Sample } from './metric-family.ts'

/** Label values come from a fixed vocabulary. This limit protects memory if a label value ever does not. */
const seriesMax = 2_000

interface Family extends Pick<MetricFamily, 'type' | 'help' | 'join'> {
  /** For OTLP; the names of Prometheus end with it. */
  readonly unit?: string | undefined
  read(): Sample[]
  points(): MetricPoint[]
}

interface ReadSeries {
  readonly counts: readonly number[]
  readonly sum: number
  readonly count: number
}

/** One series at this moment. A histogram's counts are of each bucket alone. */
export type MetricPoint = { readonly labels: Readonly<Record<string, string>> } & (
  | { readonly value: number }
  | (ReadSeries & { readonly bounds: readonly number[] })
)

export interface MetricReading extends Pick<Family, 'type' | 'help' | 'unit'> {
  readonly name: string
  readonly points: readonly MetricPoint[]
}

/** The label values identify a series, in the order of the metric's label names. */
export interface Counter {
  add(values: readonly string[], amount?: number): void
}

export interface Histogram {
  observe(values: readonly string[], value: number): void
}

/** The kinds of metric that the gateway needs, in Prometheus' text format. */
export class Metrics {
  readonly #families = new Map<string, Family>()

  counter(name: string, help: string, labelNames: readonly string[], join: Join = 'sum'): Counter {
    const tree = new LabelTree(seriesMax, () => ({ value: 0 }))
    this.#families.set(name, {
      type: 'counter',
      help,
      join,
      read: () =>
        tree.all.map(({ values, found: series }) => [
          `${name}${renderLabels(labelNames, values)}`,
          series.value,
        ]),
      points: () =>
        tree.all.map(({ values, found: series }) => {
          return { labels: labelsOf(labelNames, values), value: series.value }
        }),
    })
    return {
      add: (values, amount = 1) => {
        const series = tree.find(values)
        if (series) series.value += amount
      },
    }
  }

  /** `join` says how the values of several workers are combined. */
  gauge(name: string, help: string, read: () => number, join: Join = 'sum'): void {
    this.#families.set(name, {
      type: 'gauge',
      help,
      join,
      read: () => [[name, read()]],
      points: () => [{ labels: {}, value: read() }],
    })
  }

  /** One gauge for each value of a label. */
  gauges(
    name: string,
    help: string,
    labelName: string,
    read: () => ReadonlyMap<string, number>,
  ): void {
    this.#families.set(name, {
      type: 'gauge',
      help,
      join: 'sum',
      read: () =>
        [...read()].map(([label, value]) => [
          `${name}${renderLabels([labelName], [label])}`,
          value,
        ]),
      points: () =>
        [...read()].map(([label, value]) => {
          return { labels: { [labelName]: label }, value }
        }),
    })
  }

  histogram(
    name: string,
    help: string,
    labelNames: readonly string[],
    bounds: readonly number[],
    unit?: string,
  ): Histogram {
    const tree = new LabelTree(seriesMax, () => {
      return { counts: bounds.map(() => 0), sum: 0, count: 0 }
    })
    this.#families.set(name, {
      type: 'histogram',
      help,
      unit,
      join: 'sum',
      read: () =>
        tree.all.flatMap(({ values, found: series }) => {
          const labels = (le?: string) =>
            le === undefined
              ? renderLabels(labelNames, values)
              : renderLabels([...labelNames, 'le'], [...values, le])
          return readHistogram(name, labels, bounds, series)
        }),
      points: () =>
        tree.all.map(({ values, found: series }) => {
          return { labels: labelsOf(labelNames, values), bounds, ...series }
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

  read(): MetricFamily[] {
    return [...this.#families].map(([name, { type, help, join, read }]) => ({
      name,
      type,
      help,
      join,
      samples: read(),
    }))
  }

  /** All values at this moment. */
  readings(): MetricReading[] {
    return [...this.#families].map(([name, { type, help, unit, points }]) => {
      return { name, type, help, unit, points: points() }
    })
  }

  render(): string {
    return renderFamilies(this.read())
  }
}

function readHistogram(
  name: string,
  labels: (le?: string) => string,
  bounds: readonly number[],
  series: ReadSeries,
): Sample[] {
  let running = 0
  const buckets = bounds.map((bound, index): Sample => {
    running += series.counts[index] ?? 0
    return [`${name}_bucket${labels(String(bound))}`, running]
  })
  return [
    ...buckets,
    [`${name}_bucket${labels('+Inf')}`, series.count],
    [`${name}_sum${labels()}`, series.sum],
    [`${name}_count${labels()}`, series.count],
  ]
}

function labelsOf(names: readonly string[], values: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']))
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
