import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

const axePath = fileURLToPath(import.meta.resolve('axe-core/axe.min.js'))

interface Found {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** In other colours the same page can only fail by its colours. */
export type AxeRules = 'all' | 'colours'

/** A long table is the same row again and again. */
const rowsMost = 20
const scope = `{ include: document, exclude: ['tbody tr:nth-child(n + ${rowsMost + 1})'] }`

/** A rule that can find nothing serious is not asked. */
const run = (rules: AxeRules) => `axe.run(${scope}, {
  resultTypes: ['violations'],
  ${rules === 'colours' ? "runOnly: ['color-contrast', 'link-in-text-block']," : ''}
  rules: Object.fromEntries(
    axe._audit.rules
      .filter(({ impact }) => impact === 'minor' || impact === 'moderate')
      .map(({ id }) => [id, { enabled: false }]),
  ),
}).then(({ violations }) => violations)`

/** What axe finds serious or critical, one line for each place. The page's own policy does not stop a debugger. */
export async function seriousIssues(page: Page, rules: AxeRules = 'all'): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) {
    await page.evaluate(readFileSync(axePath, 'utf8'))
  }
  const found = await page.evaluate<readonly Found[]>(run(rules))
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(
        ({ html, failureSummary }) =>
          `${id}: ${html.slice(0, 200)} ${failureSummary.slice(0, 300)}`,
      ),
    )
}
