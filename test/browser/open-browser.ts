import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { browserFlags } from '../../tools/browser/serve-browser.mjs'
import { patience } from '../support/patience.ts'

/**
 * A browser, as far as a test sees it: closing it closes the pages that its tests have left open. The test files of a
 * process share one connection to the browser of the test runner, and the pages that were given back.
 */
export async function launchBrowser(executablePath: string): Promise<Browser> {
  const endpoint = process.env['TEST_CHROMIUM_ENDPOINT']
  if (!endpoint) return chromium.launch({ executablePath, headless: true, args: browserFlags })
  shared ??= connectShared(endpoint)
  return shared
}

let shared: Promise<Browser> | undefined

async function connectShared(endpoint: string): Promise<Browser> {
  const browser = await chromium.connect(endpoint)
  browser.close = async () => {
    const left = [...pagesInUse]
    pagesInUse.clear()
    await Promise.all(left.map((page) => page.context().close()))
  }
  return browser
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
  /** How many requests have begun or ended. */
  changes: number
}

const traffic = new WeakMap<Page, Traffic>()

/**
 * An answer leads to the next question, if it does, within a few frames. The page counts them itself, so that on a
 * busy machine, where it comes to nothing, they take as long as they take.
 */
const aFewFrames = `new Promise((done) =>
  setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(() => done(true))), 50))`
const nextFrame = `new Promise((done) =>
  requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`

function watchTraffic(page: Page): void {
  const seen = { underWay: 0, changes: 0 }
  const count = (change: number) => () => {
    seen.underWay += change
    seen.changes += 1
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
  if (!isLoaded(page)) await page.goto(path)
  // What the new page needs is asked for by then.
  else await page.evaluate(`history.pushState({}, '', ${JSON.stringify(path)}), ${nextFrame}`)
}

/** The same by way of a page that shows nothing, so that no panel or form of before stays open. */
export async function visitAnew(page: Page, path: string): Promise<void> {
  if (isLoaded(page)) await visit(page, emptyPath)
  await visit(page, path)
}

/** A path of the console that has no page. */
const emptyPath = '/console/nowhere'

function isLoaded(page: Page): boolean {
  return /\/console\/(?!sign-in|favicon)/.test(page.url())
}

/** No request is under way, and a few frames later still none has been. */
export async function isQuiet(page: Page): Promise<boolean> {
  const seen = traffic.get(page)
  if (seen === undefined || seen.underWay > 0) return false
  const { changes } = seen
  await page.evaluate(aFewFrames)
  return seen.changes === changes && seen.underWay <= 0
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

export type StorageState = Awaited<ReturnType<BrowserContext['storageState']>>

type Look = Required<Pick<PageOptions, 'viewport' | 'locale' | 'colorScheme'>>

/**
 * Pages that tests have given back, by browser, gateway and language. The console loads in one of them in a third of
 * the time that a new one takes.
 */
const idlePages = new WeakMap<Browser, Map<string, Page[]>>()
const pagesInUse = new Set<Page>()

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
  const idle = idlePagesOf(browser, `${baseURL} ${locale}`)
  const used = options.isCold ? undefined : idle.pop()
  const page = used ?? (await newPage(browser, baseURL, look))
  pagesInUse.add(page)
  if (used) await showAs(page, look)
  const context = page.context()
  // Only cookies say who is signed in.
  if (storageState) await context.addCookies(storageState.cookies)
  const complaints = watchPage(page, baseURL)
  const close = async () => {
    await forget(page)
    pagesInUse.delete(page)
    idle.push(page)
  }
  return { page, context, complaints, close }
}

/**
 * For tests that need no freshly loaded console: the page that one of them gives back is handed to the next as it is.
 * Such a test begins with `visitAnew` and leaves no edits. One that fails gives nothing back.
 */
export function keepLoaded(open: () => Promise<WatchedPage>): () => Promise<WatchedPage> {
  let left: WatchedPage | undefined
  return async () => {
    const watched = left ?? (await open())
    left = undefined
    watched.complaints.length = 0
    const close = () => {
      left = watched
      return Promise.resolve()
    }
    return { ...watched, close }
  }
}

function idlePagesOf(browser: Browser, kind: string): Page[] {
  const kinds = idlePages.get(browser) ?? new Map<string, Page[]>()
  idlePages.set(browser, kinds)
  const pages = kinds.get(kind) ?? []
  kinds.set(kind, pages)
  return pages
}

async function newPage(browser: Browser, baseURL: string, look: Look): Promise<Page> {
  const permissions = ['clipboard-read', 'clipboard-write']
  const context = await browser.newContext({
    ...look,
    baseURL,
    permissions,
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(waitMsMax)
  return context.newPage()
}

/** The same page in another size and other colours; its language it has for life. */
export async function showAs(
  page: Page,
  { viewport = desktop, colorScheme = 'light' }: Pick<PageOptions, 'viewport' | 'colorScheme'>,
): Promise<void> {
  await page.setViewportSize(viewport)
  await page.emulateMedia({ colorScheme })
  // What watches its own size draws itself again in the next frame.
  await page.evaluate(nextFrame)
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
