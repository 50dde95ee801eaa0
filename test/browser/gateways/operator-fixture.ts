import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../support/fake-upstream/start-fake-upstream.ts'
import { startTollgate, type TollgateProcess } from '../../support/process/tollgate-process.ts'
import { makeWorkspace } from '../../support/process/workspace.ts'
import { launchBrowser, openPage, type WatchedPage } from '../page/open-browser.ts'
import { signInAndSkipSetup } from '../page/signed-in.ts'
import { ownPort } from './own-port.ts'

const callerKey = 'caller-key-0123456789abcdef'
export const upstreamSecret = 'sk-upstream-secret-9a8b7c6d5e4f'

const indexPath = join(import.meta.dirname, '..', '..', '..', 'console', 'dist', 'index.html')

/** A gateway in its own process with two scripted upstreams, and a browser in which its administrator is signed in. */
export interface OperatorFixture {
  readonly url: string
  readonly one: FakeUpstream
  readonly two: FakeUpstream
  /** A new page for each test, with the administrator signed in. */
  open(options?: Parameters<typeof openPage>[2]): Promise<WatchedPage>
  /** A page on which nobody is signed in. */
  openAnonymous(options?: Parameters<typeof openPage>[2]): Promise<WatchedPage>
  /** Sends a request like a program, with further members of the body. */
  ask(model: string, more?: object): Promise<Response>
  close(): Promise<void>
}

export async function openOperatorFixture(
  chromiumPath: string,
  /** Upstream two serves one request at a time, and others wait. */
  { isNarrow = false }: { readonly isNarrow?: boolean } = {},
): Promise<OperatorFixture> {
  if (!existsSync(indexPath)) throw new Error('The console is not built: npm run build:console')
  const [one, two] = await Promise.all([startFakeUpstream(), startFakeUpstream()])
  const gateway = await startTollgate(makeWorkspace(configOf(one.url, two.url, isNarrow)))
  const browser = await launchBrowser(chromiumPath)
  const storageState = await signInAndSkipSetup(linkOf(gateway))
  return {
    url: gateway.url,
    one,
    two,
    open: (options) => openPage(browser, gateway.url, { ...options, storageState }),
    openAnonymous: (options) => openPage(browser, gateway.url, options),
    ask: (model, more) => askGateway(gateway.url, model, more),
    close: async () => {
      await browser.close()
      gateway.signal('SIGTERM')
      await gateway.exited
      await Promise.all([one.stop(), two.stop()])
    },
  }
}

function linkOf(gateway: TollgateProcess): string {
  const link = /(http:\S+\/console\/sign-in#\S+)/.exec(gateway.stdout())?.[1]
  if (link === undefined) throw new Error(`no sign-in link in: ${gateway.stdout()}`)
  return link
}

let asked = 0

/** Each request begins a new conversation, so that stickiness does not decide its upstream. */
function askGateway(url: string, model: string, more: object = {}): Promise<Response> {
  asked += 1
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${callerKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      messages: [{ role: 'user', content: `Hello ${asked}` }],
      ...more,
    }),
  })
}

/**
 * gpt-x has upstream one and, as the second choice, two; gpt-solo has only one, gpt-spare only two; gpt-free has no
 * price, gpt-lost no route.
 */
function configOf(one: string, two: string, isNarrow: boolean): object {
  const upstream = {
    vendor: 'openai-compatible',
    protocol: 'chat-completions',
    groups: ['default'],
  }
  return {
    listen: `127.0.0.1:${ownPort()}`,
    demo: 'off',
    ...(isNarrow && { queueSeconds: 30 }),
    provision: {
      groups: [{ id: 'default', factor: 1 }],
      models: [
        { id: 'gpt-x', price: { input: 2.5, cacheRead: 1.25, output: 10 } },
        { id: 'gpt-lost', price: { input: 1, output: 1 } },
        { id: 'gpt-free' },
        { id: 'gpt-solo', price: { input: 1, output: 1 } },
        { id: 'gpt-spare', price: { input: 1, output: 1 } },
      ],
      upstreams: [
        {
          ...upstream,
          id: 'one',
          baseUrl: `${one}/v1`,
          credential: 'sk-one-0123456789abcdef',
          models: ['gpt-x', 'gpt-free', 'gpt-solo'],
        },
        {
          ...upstream,
          id: 'two',
          ...(isNarrow && { concurrency: 1 }),
          baseUrl: `${two}/v1`,
          credential: 'sk-two-0123456789abcdef',
          models: [{ id: 'gpt-x', priority: 1 }, 'gpt-spare'],
        },
      ],
      accounts: [
        { id: 'acme', name: 'Acme Robotics', credit: 25 },
        { id: 'globex', name: 'Globex', credit: 0 },
      ],
      keys: [
        { id: 'caller', account: 'acme', name: 'Caller', value: callerKey, groups: ['default'] },
      ],
    },
  }
}
