import type { Page } from 'playwright-core'

interface Loaded {
  /** Everything that was loaded to show the page. */
  readonly page: number
  /** The code of the charts, which loads after the page and its figures. */
  readonly chart: number
}

/** The compressed size of everything that the browser has loaded so far. */
export async function loadedKilobytes(page: Page): Promise<Loaded> {
  const files = await page.evaluate<[string, number][]>(
    'performance.getEntriesByType("resource").map(({ name, encodedBodySize }) => [name, encodedBodySize])',
  )
  const isChart = (name: string) => /stacked-chart/.test(name)
  const sum = (isCounted: (name: string) => boolean) =>
    files.reduce((total, [name, bytes]) => total + (isCounted(name) ? bytes : 0), 0) / 1024
  return { page: sum((name) => !isChart(name)), chart: sum(isChart) }
}
