import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
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
  /** Gives the page back, for the next test to use. */
  close(): Promise<void>
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
  const isLoaded = /\/console\/(?!sign-in|favicon)/.test(page.url())
  if (isLoaded) await page.evaluate(`history.pushState({}, '', ${JSON.stringify(path)})`)
  else await page.goto(path)
  if (seen) seen.changedMs = performance.now()
}

/** No request is under way, and none has been for a moment. */
export function isQuiet(page: Page): boolean {
  const seen = traffic.get(page)
  return seen !== undefined && seen.underWay <= 0 && performance.now() - seen.changedMs > quietMs
}

interface PageOptions {
  readonly viewport?: { width: number; height: number }
  readonly locale?: string
  readonly colorScheme?: 'light' | 'dark'
  /** Who is signed in already: what another context knew. */
  readonly storageState?: StorageState
  /** With an empty cache, for what the first visit loads. */
  readonly isCold?: boolean
}

type StorageState = Awaited<ReturnType<BrowserContext['storageState']>>

/**
 * Pages that tests have given back, by browser, gateway and look. The console loads in one of them in a third of
 * the time that a new one takes.
 */
const idlePages = new WeakMap<Browser, Map<string, Page[]>>()

/** A page of the gateway without any script. */
const blankPath = '/console/favicon.svg'

/** A page that knows nothing of what other tests did. */
export async function openPage(
  browser: Browser,
  baseURL: string,
  options: PageOptions = {},
): Promise<WatchedPage> {
  const { viewport = desktop, locale = 'en-US', colorScheme = 'light', storageState } = options
  const look = { viewport, locale, colorScheme }
  const idle = idlePagesOf(browser, JSON.stringify([baseURL, look]))
  const used = options.isCold ? undefined : idle.pop()
  const page = used ?? (await newPage(browser, { ...look, baseURL }))
  const context = page.context()
  // Only cookies say who is signed in.
  if (storageState) await context.addCookies(storageState.cookies)
  const complaints = watchPage(page, baseURL)
  const close = async () => {
    await forget(page)
    idle.push(page)
  }
  return { page, context, complaints, close }
}

function idlePagesOf(browser: Browser, kind: string): Page[] {
  const kinds = idlePages.get(browser) ?? new Map<string, Page[]>()
  idlePages.set(browser, kinds)
  const pages = kinds.get(kind) ?? []
  kinds.set(kind, pages)
  return pages
}

async function newPage(browser: Browser, look: BrowserContextOptions): Promise<Page> {
  const permissions = ['clipboard-read', 'clipboard-write']
  const context = await browser.newContext({ ...look, permissions, reducedMotion: 'reduce' })
  context.setDefaultTimeout(waitMsMax)
  return context.newPage()
}

function watchPage(page: Page, baseURL: string): string[] {
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
  return complaints
}

/** Nothing of a test stays but what the browser keeps of the console's files. */
async function forget(page: Page): Promise<void> {
  page.removeAllListeners()
  await page.unrouteAll()
  await page.goto(blankPath)
  await page.evaluate('localStorage.clear(), sessionStorage.clear()')
  const context = page.context()
  await context.clearCookies()
  const others = context.pages().filter((other) => other !== page)
  await Promise.all(others.map((other) => other.close()))
}
