import { expect } from 'bun:test'
import type { CatalogSnapshot } from '../../../src/catalog/catalog-snapshot.ts'
import { readCatalog } from '../../../src/catalog/read-catalog.ts'
import type { ErrorAnswer } from '../../../src/console-api/contract.ts'
import type { FreshDatabase } from '../postgres/fresh-database.ts'
import { type ConsoleFixture, openConsoleFixture, readJson } from './console-fixture.ts'

const api = '/console/api'

/** Secrets that an operator enters, and that no response may show. */
export const enteredSecrets = {
  credential: 'sk-a-credential-that-nobody-may-read-9f2c',
  proxy: 'http://user:proxy-password@proxy.example.com:3128',
}

/** A valid price and a valid upstream; the upstream has no id and no secrets yet. */
export const examplePrice = {
  inputNano: '1000000000',
  cacheReadNano: '100000000',
  cacheWrite5mNano: '0',
  cacheWrite1hNano: '0',
  outputNano: '4000000000',
  requestNano: '0',
}
export const exampleUpstream = {
  vendor: 'openai-compatible',
  protocol: 'chat-completions',
  baseUrl: 'https://models.example.com/v1',
  isEnabled: true,
}

/** A signed-in administrator. */
export interface OperatorFixture {
  readonly fixture: ConsoleFixture
  readonly cookie: string
  /** Throws when the call is refused. No response may contain the entered secrets. */
  send<Body>(method: string, path: string, body?: unknown): Promise<Body>
  refusal(method: string, path: string, body?: unknown): Promise<unknown[]>
  /** The catalogue as the gateway would read it now. */
  snapshot(): Promise<CatalogSnapshot>
  close(): Promise<void>
}

export async function openOperatorFixture(
  makeDatabase?: () => Promise<FreshDatabase>,
): Promise<OperatorFixture> {
  const database = await makeDatabase?.()
  const fixture = await openConsoleFixture(database ? { databaseUrl: database.url } : {})
  const cookie = await fixture.signIn('u_root')
  const ask = (method: string, path: string, body: unknown = {}) =>
    fixture.send(method, `${api}${path}`, { cookie, body })
  return {
    fixture,
    cookie,
    send: async (method, path, body) => {
      const response = await ask(method, path, body)
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
      for (const secret of [enteredSecrets.credential, 'proxy-password']) {
        expect(text).not.toContain(secret)
      }
      return JSON.parse(text)
    },
    refusal: async (method, path, body) => {
      const response = await ask(method, path, body)
      const { error } = await readJson<ErrorAnswer>(response)
      return [response.status, error.code, error.field]
    },
    snapshot: () => readCatalog(fixture.engine, fixture.vault, undefined),
    close: async () => {
      expect(fixture.errors).toEqual([])
      await fixture.close()
      await database?.drop()
    },
  }
}
