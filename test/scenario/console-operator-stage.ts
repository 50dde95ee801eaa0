import { expect } from 'bun:test'
import type { CatalogSnapshot } from '../../src/catalog/catalog-snapshot.ts'
import { readCatalog } from '../../src/catalog/read-catalog.ts'
import type { ErrorAnswer } from '../../src/console-api/contract.ts'
import type { FreshDatabase } from '../support/postgres/fresh-database.ts'
import { type ConsoleStage, openConsoleStage, readJson } from './console-stage.ts'

const api = '/console/api'

/** What an operator enters, and may never read again. */
export const entered = {
  credential: 'sk-a-credential-that-nobody-may-read-9f2c',
  proxy: 'http://user:proxy-password@proxy.example.com:3128',
}

/** A price and an upstream that can be entered; the upstream has no id and no secrets yet. */
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

/** An administrator at work. */
export interface OperatorStage {
  readonly stage: ConsoleStage
  readonly cookie: string
  /** Throws when it is refused; no answer may show what was entered. */
  send<Body>(method: string, path: string, body?: unknown): Promise<Body>
  refusal(method: string, path: string, body?: unknown): Promise<unknown[]>
  /** The catalogue as the gateway would read it now. */
  snapshot(): Promise<CatalogSnapshot>
  close(): Promise<void>
}

export async function openOperatorStage(
  makeDatabase?: () => Promise<FreshDatabase>,
): Promise<OperatorStage> {
  const database = await makeDatabase?.()
  const stage = await openConsoleStage(database ? { databaseUrl: database.url } : {})
  const cookie = await stage.signIn('u_root')
  const ask = (method: string, path: string, body: unknown = {}) =>
    stage.send(method, `${api}${path}`, { cookie, body })
  return {
    stage,
    cookie,
    send: async (method, path, body) => {
      const response = await ask(method, path, body)
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
      for (const secret of [entered.credential, 'proxy-password']) {
        expect(text).not.toContain(secret)
      }
      return JSON.parse(text)
    },
    refusal: async (method, path, body) => {
      const response = await ask(method, path, body)
      const { error } = await readJson<ErrorAnswer>(response)
      return [response.status, error.code, error.field]
    },
    snapshot: () => readCatalog(stage.engine, stage.vault, undefined),
    close: async () => {
      expect(stage.errors).toEqual([])
      await stage.close()
      await database?.drop()
    },
  }
}
