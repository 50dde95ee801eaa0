import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { browserFlags } from '../../tools/browser/serve-browser.mjs'
import { patience } from '../support/patience.ts'

/** A browser, as far as a test sees it: windows of its own, which go when the test closes it. */
export function launchBrowser(executablePath: string): Promise<Browser> {
  const endpoint = process.env['TEST_CHROMIUM_ENDPOINT']
  return endpoint
    ? chromium.connect(endpoint)
    : chromium.launch({ executablePath, headless: true, args: browserFlags })
}

const desktop = { width: 1280, height: 800 }
export const phone = { width: 390, height: 844 }

/** What a person would take for broken. */
const waitMsMax = patience(15_000)

export interface WatchedPage {
  readonly page: Page
  readonly context: BrowserContext
  /** What the page complained about, and every request that left the gateway. */
  readonly complaints: string[]
}

interface Traffic {
  underWay: number
  /** When the last request began or ended. */
  changedMs: number
}

const traffic = new WeakMap<Page, Traffic>()
/** An answer leads to the next question, if it does, within a few frames. */
const quietMs = 100

function watchTraffic(page: Page): void {
  const seen = { underWay: 0, changedMs: performance.now() }
  const count = (change: number) => () => {
    seen.underWay += change
    seen.changedMs = performance.now()
  }
  page.on('request', count(1))
  page.on('requestfinished', count(-1))
  page.on('requestfailed', count(-1))
  traffic.set(page, seen)
}

/**
 * Goes to a page of the console as its own links do: only the first visit loads the program, which takes longer than
 * all the rest.
 */
export async function visit(page: Page, path: string): Promise<void> {
  const seen = traffic.get(page)
  const isLoaded = page.url().includes('/console/') && !page.url().includes('/sign-in')
  if (isLoaded) await page.evaluate(`history.pushState({}, '', ${JSON.stringify(path)})`)
  else await page.goto(path)
  if (seen) seen.changedMs = performance.now()
}

/** No request is under way, and none has been for a moment. */
export function isQuiet(page: Page): boolean {
  const seen = traffic.get(page)
  return seen !== undefined && seen.underWay <= 0 && performance.now() - seen.changedMs > quietMs
}

export async function openPage(
  browser: Browser,
  baseURL: string,
  options: {
    viewport?: { width: number; height: number }
    locale?: string
    colorScheme?: 'light' | 'dark'
    /** Who is signed in already: what another context knew. */
    storageState?: Awaited<ReturnType<BrowserContext['storageState']>>
  } = {},
): Promise<WatchedPage> {
  const { viewport = desktop, locale = 'en-US', colorScheme = 'light', storageState } = options
  const context = await browser.newContext({
    baseURL,
    viewport,
    locale,
    colorScheme,
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...(storageState && { storageState }),
  })
  context.setDefaultTimeout(waitMsMax)
  const page = await context.newPage()
  watchTraffic(page)
  const complaints: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (protocol !== 'data:' && origin !== baseURL) complaints.push(`left for ${request.url()}`)
  })
  return { page, context, complaints }
}
