import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

const axePath = fileURLToPath(import.meta.resolve('axe-core/axe.min.js'))

interface Found {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** What axe finds serious or critical, one line for each place. The page's own policy does not stop a debugger. */
export async function seriousIssues(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) {
    await page.evaluate(readFileSync(axePath, 'utf8'))
  }
  const found = await page.evaluate<readonly Found[]>(
    'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)',
  )
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(
        ({ html, failureSummary }) =>
          `${id}: ${html.slice(0, 200)} ${failureSummary.slice(0, 300)}`,
      ),
    )
}
