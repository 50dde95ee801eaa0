import type { Page } from 'playwright-core'

interface Loaded {
  /** All that was fetched to show the page. */
  readonly page: number
  /** What draws charts, which comes after the page and its figures. */
  readonly chart: number
}

/** What the browser has fetched so far, compressed as it came. */
export async function loadedKilobytes(page: Page): Promise<Loaded> {
  const files = await page.evaluate<[string, number][]>(
    'performance.getEntriesByType("resource").map(({ name, encodedBodySize }) => [name, encodedBodySize])',
  )
  const isChart = (name: string) => /stacked-chart/.test(name)
  const sum = (isCounted: (name: string) => boolean) =>
    files.reduce((total, [name, bytes]) => total + (isCounted(name) ? bytes : 0), 0) / 1024
  return { page: sum((name) => !isChart(name)), chart: sum(isChart) }
}
