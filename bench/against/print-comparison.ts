import { median } from '../median.ts'
import type { Compared } from './compare-builds.ts'

interface Spread {
  readonly least: number
  readonly lowerQuartile: number
  readonly median: number
  readonly upperQuartile: number
  readonly most: number
}

function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN
  return {
    least: at(0),
    lowerQuartile: at(0.25),
    median: median(sorted),
    upperQuartile: at(0.75),
    most: at(1),
  }
}

/**
 * Other programs can only add to the time of a window, so the quiet windows of both sides are the most accurate: the
 * ratio of the lower quartiles.
 */
function quietRatio(pairs: Compared['pairs']): number {
  const quiet = (times: readonly number[]) => spreadOf(times).lowerQuartile
  return quiet(pairs.map(({ own }) => own)) / quiet(pairs.map(({ other }) => other))
}

/** Prints a Markdown table that can be copied to docs/benchmarks.md. */
export function printComparison(compared: readonly Compared[], otherName: string): void {
  const rows = compared.map(({ title, pairs }) => {
    const ratio = spreadOf(pairs.map(({ own, other }) => own / other))
    const micros = (pick: (pair: Compared['pairs'][number]) => number) =>
      `${median(pairs.map(pick)).toFixed(1)} µs`
    return [
      title,
      micros(({ other }) => other),
      micros(({ own }) => own),
      ratio.median.toFixed(3),
      quietRatio(pairs).toFixed(3),
      `${ratio.lowerQuartile.toFixed(3)} to ${ratio.upperQuartile.toFixed(3)}`,
      `${ratio.least.toFixed(3)} to ${ratio.most.toFixed(3)}`,
      String(pairs.length),
    ]
  })
  const head = [
    'CPU of a request',
    otherName,
    'this',
    'ratio',
    'of the lower quartiles',
    'half of the ratios',
    'all',
    'pairs',
  ]
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  console.log(`\n${[head, head.map(() => '---'), ...rows].map(line).join('\n')}`)
}
