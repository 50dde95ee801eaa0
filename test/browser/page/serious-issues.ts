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
 * With other colours the same page can only fail the colour rules. At another width, parts are shown or hidden, so all
 * rules run again; the colour rules only for elements that were hidden before.
 */
export type AxeRules = 'all' | 'colours' | 'other width'

const alike = 'data-axe-alike'
const judged = 'data-axe-judged'

/**
 * Most of the time goes into colours. The rows of a long table look alike: of rows with the same structure (tags,
 * classes, styles and attribute names) only the first is checked. The frame around the pages is checked once for each
 * width and colour scheme, as long as its structure is the same.
 */
const script = (rules: AxeRules) => `(async () => {
  const colourRules = ['color-contrast', 'link-in-text-block']
  // Generated class names, unique for each element, do not count as a difference.
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
  // The page behind a panel is also checked without the panel, so its colours are not checked again.
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
  // Rules that find nothing serious are disabled.
  const harmless = axe._audit.rules
    .filter(({ impact }) => impact === 'minor' || impact === 'moderate')
    .map(({ id }) => id)
  const without = (ids) => ({
    resultTypes: ['violations'],
    rules: Object.fromEntries(ids.map((id) => [id, { enabled: false }])),
  })
  const onlyColours = { resultTypes: ['violations'], runOnly: colourRules }
  if ('${rules}' === 'colours') return run(places, onlyColours)
  // Each run reads the whole document first, so one run covers all rules where that is possible.
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

/**
 * The serious and critical findings of axe, one line for each element. The page's content security policy does not
 * block scripts of a debugger.
 */
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
