import {
  type Browser,
  type BrowserContext,
  chromium,
  type Page,
  type Request,
} from 'playwright-core'
import { browserFlags } from '../../../tools/browser/browser-flags.mjs'
import { atEnd } from '../../support/at-end.ts'
import { patience } from '../../support/patience.ts'
import { emptyConsole } from './empty-console.ts'

export function startBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, headless: true, args: browserFlags })
}

/**
 * A browser for one test file. Closing it closes the pages that its tests left open. The test files of a process share
 * one browser and the returned pages. The process talks to the browser directly: one browser for all processes needs a
 * server in between, which took a sixth of the suite's CPU time.
 */
export function launchBrowser(executablePath: string): Promise<Browser> {
  shared ??= startShared(executablePath)
  return shared
}

let shared: Promise<Browser> | undefined

async function startShared(executablePath: string): Promise<Browser> {
  const browser = await startBrowser(executablePath)
  const end = browser.close.bind(browser)
  atEnd(end)
  browser.close = async () => {
    const left = [...pagesInUse]
    pagesInUse.clear()
    await Promise.all(left.map((page) => page.context().close()))
  }
  return browser
}

const desktop = { width: 1280, height: 800 }
export const phone = { width: 390, height: 844 }

/** A person would take a page that needs longer for broken. */
const waitMsMax = patience(15_000)

export interface WatchedPage {
  readonly page: Page
  readonly context: BrowserContext
  /** The errors of the page, and every request to a host other than the gateway. */
  readonly complaints: string[]
  /** Returns the page, so that the next test can use it. */
  close(): Promise<void>
}

interface Traffic {
  readonly underWay: Set<Request>
  /** The number of requests that have begun or ended. */
  changes: number
}

const traffic = new WeakMap<Page, Traffic>()

/**
 * If an answer causes another request, the page sends it within a few frames. The page itself counts the frames, so
 * that the wait is long enough on a busy machine, where the page draws few of them.
 */
const aFewFrames = `new Promise((done) =>
  setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(() => done(true))), 50))`
const nextFrame = `new Promise((done) =>
  requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`

function watchTraffic(page: Page): void {
  const seen: Traffic = { underWay: new Set(), changes: 0 }
  // A request of an earlier test may end now; its start was not counted.
  const end = (request: Request) => {
    if (seen.underWay.delete(request)) seen.changes += 1
  }
  page.on('request', (request) => {
    seen.underWay.add(request)
    seen.changes += 1
  })
  page.on('requestfinished', end)
  page.on('requestfailed', end)
  traffic.set(page, seen)
}

/** A path of the console that has no page. */
const emptyPath = '/console/nowhere'

/**
 * Goes to a page of the console like one of its links: only the first visit loads the program, which takes longer than
 * everything else. The previous page is removed before this function returns, so that a test does not find its buttons
 * instead of those of the new page.
 */
export async function visit(page: Page, path: string): Promise<void> {
  if (isLoaded(page)) await page.evaluate(visitInPage(path))
  else await page.goto(path)
}

/**
 * Another page replaces the previous one inside the frame, which stays. The same page with another panel is left first,
 * because typed text would stay as well.
 */
function visitInPage(path: string): string {
  return `(async () => {
    const next = new URL(${JSON.stringify(path)}, location.href)
    const find = (selector) => [...document.querySelectorAll(selector)]
    const leave = async (to, parts) => {
      history.pushState({}, '', to)
      const isShown = () => parts.some((part) => part.isConnected)
      for (let looks = 0; looks < ${looksMax} && isShown(); looks += 1) await ${nextFrame}
    }
    const titles = find('#page h1')
    if (titles.length > 0 && next.pathname !== location.pathname) {
      await leave(next.href, [...titles, ...find('[role=dialog]')])
    } else {
      await leave('${emptyPath}', find('#page, [role=dialog]'))
      history.replaceState({}, '', next.href)
    }
    // By then the new page has sent its requests.
    await ${nextFrame}
  })()`
}

/** Enough for the first visit to a page, which loads the code of the page. */
const looksMax = 60

function isLoaded(page: Page): boolean {
  return /\/console\/(?!sign-in|favicon)/.test(page.url())
}

/** No request is running, and none has started within the next frames. */
export async function isQuiet(page: Page): Promise<boolean> {
  const seen = traffic.get(page)
  if (seen === undefined || seen.underWay.size > 0) return false
  const { changes } = seen
  await page.evaluate(aFewFrames)
  return seen.changes === changes && seen.underWay.size === 0
}

interface PageOptions {
  readonly viewport?: { width: number; height: number }
  readonly locale?: string
  readonly colorScheme?: 'light' | 'dark'
  /** The cookies of another context in which a user is signed in. */
  readonly storageState?: StorageState
  /** With an empty cache, for tests of the first load. */
  readonly isCold?: boolean
}

export type StorageState = Awaited<ReturnType<BrowserContext['storageState']>>

type Look = Required<Pick<PageOptions, 'viewport' | 'locale' | 'colorScheme'>>

/**
 * Pages that tests have returned, by browser, gateway and language, with the console still loaded if it could be
 * emptied. Loading the console takes longer than most tests, and three times as long in a new page.
 */
const idlePages = new WeakMap<Browser, Map<string, Page[]>>()
const pagesInUse = new Set<Page>()

/** A page of the gateway without any script. */
const blankPath = '/console/favicon.svg'

/**
 * A page without any state of other tests. A test that is not about loading the console opens its first page with
 * `visit`.
 */
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
  // Only cookies determine who is signed in.
  if (storageState) await context.addCookies(storageState.cookies)
  const complaints = watchPage(page, baseURL)
  const close = async () => {
    await forget(page)
    pagesInUse.delete(page)
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

const shownAs = new WeakMap<Page, string>()

/** The same page with another size and colour scheme. The language of a page never changes. */
export async function showAs(
  page: Page,
  { viewport = desktop, colorScheme = 'light' }: Pick<PageOptions, 'viewport' | 'colorScheme'>,
): Promise<void> {
  const look = JSON.stringify([viewport.width, viewport.height, colorScheme])
  if (shownAs.get(page) === look) return
  shownAs.set(page, look)
  await page.setViewportSize(viewport)
  await page.emulateMedia({ colorScheme })
  // Elements that observe their own size are redrawn in the next frame.
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

/** Removes all state of the test except the loaded console and the browser's cache of its files. */
async function forget(page: Page): Promise<void> {
  page.removeAllListeners()
  await page.unrouteAll()
  const context = page.context()
  await context.clearCookies()
  const others = context.pages().filter((other) => other !== page)
  await Promise.all(others.map((other) => other.close()))
  if (isLoaded(page)) {
    await visit(page, emptyPath)
    if (await page.evaluate<boolean>(emptyConsole)) return
  }
  await page.goto(blankPath)
  await page.evaluate('localStorage.clear(), sessionStorage.clear()')
}
