import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

/** No sandbox, because tests may run as root in a container; nothing that calls home. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export function launchBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, headless: true, args: flags })
}

const desktop = { width: 1280, height: 800 }
export const phone = { width: 390, height: 844 }

/** What a person would take for broken. */
const waitMsMax = 15_000

export interface WatchedPage {
  readonly page: Page
  readonly context: BrowserContext
  /** What the page complained about, and every request that left the gateway. */
  readonly complaints: string[]
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
