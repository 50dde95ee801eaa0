import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

const axePath = fileURLToPath(import.meta.resolve('axe-core/axe.min.js'))

interface Found {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/**
 * In other colours the same page can only fail by its colours. In another width its parts are shown or hidden, so all
 * rules are asked again, but the colours only of what was not shown before.
 */
export type AxeRules = 'all' | 'colours' | 'other width'

const alike = 'data-axe-alike'
const judged = 'data-axe-judged'

/**
 * Most of the time goes into colours. A long table is the same row again and again: of rows that have the same parts,
 * by their tags, classes, styles and names of attributes, the first is judged. The frame around the pages is judged
 * once for each width and colour scheme, as long as it has the same parts.
 */
const script = (rules: AxeRules) => `(async () => {
  const colourRules = ['color-contrast', 'link-in-text-block']
  // What the component library draws by a class of its own for each element is no part of a look.
  const isOwn = (name) => name !== '${alike}' && name !== '${judged}'
  const partOf = (each) =>
    [each.tagName, each.getAttribute('style'), ...each.getAttributeNames().filter(isOwn)].join(' ') +
    [...each.classList].filter((name) => !name.startsWith('__m__')).join(' ')
  const bodies = [...document.querySelectorAll('tbody')]
  for (const { rows } of bodies) {
    const seen = new Set()
    for (const row of rows) {
      row.removeAttribute('${alike}')
      const parts = [row, ...row.querySelectorAll('*')].map(partOf).join()
      if (seen.has(parts)) row.setAttribute('${alike}', '')
      seen.add(parts)
    }
  }
  // Behind a panel lies a page that is judged without it: its colours are those of before.
  const panels = [...document.querySelectorAll('[role=dialog]')]
  const places = panels.length > 0 ? panels : [document.body]
  const frame = [...document.querySelectorAll('.mantine-AppShell-header, .mantine-AppShell-navbar')]
  const frameParts = frame.flatMap((each) => [each, ...each.querySelectorAll('*')]).map(partOf)
  const scheme = document.documentElement.getAttribute('data-mantine-color-scheme')
  const kind = '${rules}' === 'colours' ? 'colours' : 'all'
  const look = [kind, panels.length > 0, innerWidth, scheme, ...frameParts.toSorted()].join()
  const judgedFrames = (window.judgedFrames ??= new Set())
  const known = judgedFrames.has(look) ? frame : []
  judgedFrames.add(look)
  const hasText = (each) => [...each.childNodes].some(({ data }) => data?.trim())
  const texts = places
    .flatMap((place) => [...place.querySelectorAll('*')])
    .filter((each) => hasText(each) && each.checkVisibility())
    .filter((each) => !known.some((part) => part.contains(each)))
  const run = async (include, options) =>
    (await axe.run({ include, exclude: ['[${alike}]', ...known] }, options)).violations
  // A rule that can find nothing serious is not asked.
  const harmless = axe._audit.rules
    .filter(({ impact }) => impact === 'minor' || impact === 'moderate')
    .map(({ id }) => id)
  const without = (ids) => ({
    resultTypes: ['violations'],
    rules: Object.fromEntries(ids.map((id) => [id, { enabled: false }])),
  })
  const onlyColours = { resultTypes: ['violations'], runOnly: colourRules }
  if ('${rules}' === 'colours') return run(places, onlyColours)
  // Each run reads the whole document first, so one run asks for everything where that is possible.
  const isOneRun = '${rules}' === 'all' && panels.length === 0
  const others = await run(document, without(isOneRun ? harmless : [...harmless, ...colourRules]))
  if ('${rules}' === 'all') {
    const colours = isOneRun ? [] : await run(places, onlyColours)
    for (const each of document.querySelectorAll('[${judged}]')) each.removeAttribute('${judged}')
    for (const each of texts) each.setAttribute('${judged}', '')
    return [...others, ...colours]
  }
  const fresh = texts.filter((each) => !each.matches('[${judged}], [${alike}] *'))
  return fresh.length === 0 ? others : [...others, ...(await run(fresh, onlyColours))]
})()`

/** What axe finds serious or critical, one line for each place. The page's own policy does not stop a debugger. */
export async function seriousIssues(page: Page, rules: AxeRules = 'all'): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) {
    await page.evaluate(readFileSync(axePath, 'utf8'))
  }
  const found = await page.evaluate<readonly Found[]>(script(rules))
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(
        ({ html, failureSummary }) =>
          `${id}: ${html.slice(0, 200)} ${failureSummary.slice(0, 300)}`,
      ),
    )
}
