import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KyselyPlugin } from 'kysely'
import type { RelyingParty } from '../../../src/accounts/relying-party.ts'
import { addInvitationLink, mintSignInLink } from '../../../src/accounts/sign-in-link.ts'
import { createToken } from '../../../src/admin-tokens/token-store.ts'
import { statePort } from '../../../src/app/console/state-port.ts'
import { createAdminApi } from '../../../src/console-api/admin/create-admin-api.ts'
import { csrfHeader, csrfValue } from '../../../src/console-api/contract.ts'
import { createConsole, shareAmong } from '../../../src/console-api/create-console.ts'
import type { Assets } from '../../../src/console-api/http/assets.ts'
import type { ConsoleDeps, RecordingTerms } from '../../../src/console-api/ports/console-parts.ts'
import type { GatewayPorts } from '../../../src/console-api/ports/gateway-ports.ts'
import type { OpenIdProvider } from '../../../src/console-api/ports/open-id-provider.ts'
import { adminRoot, isAdminPath } from '../../../src/console-api/root-paths.ts'
import type { AdminScope } from '../../../src/core/access/admin-scope.ts'
import { newRequestId, systemRandom } from '../../../src/core/id.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { migrations } from '../../../src/store/migrations/list.ts'
import { migrate } from '../../../src/store/migrations/migrate.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { derivedRing, withNewKey } from '../../../src/store/secrets/keyring.ts'
import { hashPassword, isPasswordOf } from '../../../src/store/secrets/password.ts'
import { type Vault, vaultOf } from '../../../src/store/secrets/vault.ts'
import { usageShapes } from '../../../src/usage/usage-shapes.ts'
import { atEnd } from '../at-end.ts'
import { copyMigratedFile } from '../sqlite/copy-migrated-file.ts'
import { quietGateway } from './console-gateway.ts'
import { type Seeded, seedConsole, usualRequests } from './console-seed.ts'
import { unnamedAuditFields } from './unnamed-audit-fields.ts'

const firstRing = derivedRing(new Uint8Array(32).fill(7))

export const recordingTerms: RecordingTerms = {
  isRecordingAllowed: true,
  recordingAccountBytesMax: 256 * 1024 ** 2,
  recordingRetentionMs: 90 * 24 * 60 * 60_000,
}

/** The client address that a trusted proxy would report. */
export const addressHeader = 'x-test-address'

export interface CallOptions {
  readonly cookie?: string | undefined
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

/** The console on a real socket and a real database, with a clock that a test can move. */
export interface ConsoleFixture {
  readonly url: string
  readonly engine: Engine
  readonly vault: Vault
  /** New values are sealed with a new key from now on, as after a rotation of the secret. */
  rotateSecret(): void
  readonly seeded: Seeded
  readonly errors: unknown[]
  passTime(ms: number): void
  nowMs(): number
  mintLink(userId: string): Promise<string>
  /** Signs in with a new link, and returns the cookie as a browser would send it. */
  signIn(userId: string): Promise<string>
  /** The same for a login that an owner has invited, with its invitation. */
  openInvitation(userId: string): Promise<string>
  get(path: string, options?: CallOptions): Promise<Response>
  /** Like the console's own pages: with the header that a form of another site cannot send. */
  post(path: string, options?: CallOptions): Promise<Response>
  /** Creates a token of the admin API and returns its value; for the whole gateway unless an account is given. */
  makeToken(scopes: readonly AdminScope[], accountId?: string): Promise<string>
  /** Calls the admin API with a token. */
  admin(
    token: string | undefined,
    method: string,
    path: string,
    options?: Pick<CallOptions, 'headers' | 'body'>,
  ): Promise<Response>
  /** The same with any method. */
  send(method: string, path: string, options?: CallOptions): Promise<Response>
  close(): Promise<void>
}

export async function openConsoleFixture(
  options: {
    assets?: Assets
    isSecure?: boolean
    /** Any free port by default. */
    port?: number
    databaseUrl?: string
    gateway?: Partial<GatewayPorts>
    showsUpstreamsToMembers?: boolean
    recording?: Partial<RecordingTerms>
    openId?: OpenIdProvider
    relyingParty?: RelyingParty
    publicUrl?: string
    /** The database has only the schema. */
    isEmpty?: true
    /** How many requests the log of Acme has. */
    requestCount?: number
    /** Called before each select of the console, with its table. */
    onSelect?: (from: string) => void
    /** Called after each select, when its result has arrived. */
    onSelected?: (from: string) => void
    /** Runs after each change of the console, before the console continues. */
    afterChange?: () => Promise<void>
  } = {},
): Promise<ConsoleFixture> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-console-'))
  const path = join(folder, 'test.db')
  const isSeeded = options.isEmpty !== true
  const { requestCount = usualRequests } = options
  const isCopied = options.databaseUrl === undefined && isSeeded
  const template = isCopied ? await seededFile(requestCount) : undefined
  if (template) copyFileSync(template.path, path)
  const engine = await openStore(options.databaseUrl ?? `sqlite://${path}`)
  const { startMs, seeded } = template ?? (await migrateAndSeed(engine, requestCount, isSeeded))
  await engine.defineShapes(usageShapes)
  let passedMs = 0
  let ring = firstRing
  const vault = vaultOf(() => ring)
  const nowMs = () => startMs + passedMs
  const errors: unknown[] = []
  const { onSelect, onSelected, afterChange } = options
  const plugin = onSelect || onSelected ? listenTo(onSelect, onSelected) : undefined
  const observed = plugin ? engine.db.withPlugin(plugin) : engine.db
  const deps: ConsoleDeps = {
    engine: {
      ...engine,
      db: afterChange ? interrupt(observed, afterChange) : observed,
      usageDb: observed,
    },
    vault,
    clock: { nowMs, monotonicMs: () => passedMs },
    random: systemRandom,
    assets: options.assets ?? { find: () => undefined },
    brand: 'gateway',
    publicUrl: options.publicUrl,
    isSecureListen: false,
    checksAnswers: true,
    gateway: {
      ...quietGateway,
      state: statePort(engine, { vault, random: systemRandom, nowMs, hashPassword, isPasswordOf }),
      ...options.gateway,
    },
    showsUpstreamsToMembers: options.showsUpstreamsToMembers ?? false,
    confirmGrantsFrom: 10_000,
    recording: { ...recordingTerms, ...options.recording },
    openId: options.openId,
    relyingParty: options.relyingParty,
    onError: (error) => errors.push(error),
  }
  const shared = shareAmong(deps)
  const visit = createConsole(deps, shared)
  const admin = createAdminApi(deps, shared)
  const isSecure = options.isSecure ?? false
  const server = Bun.serve({
    port: options.port ?? 0,
    hostname: '127.0.0.1',
    fetch: (request, self) => {
      const address = request.headers.get(addressHeader) ?? self.requestIP(request)?.address ?? ''
      const isAdmin = isAdminPath(new URL(request.url).pathname)
      const answer = isAdmin ? admin.answer : visit
      return answer(request, { address, peer: address, requestId: newRequestId(nowMs()), isSecure })
    },
  })
  const url = `http://127.0.0.1:${server.port}`
  const get: ConsoleFixture['get'] = (path, { cookie, headers = {} } = {}) =>
    fetch(`${url}${path}`, {
      headers: { ...headers, ...(cookie === undefined ? {} : { cookie }) },
      redirect: 'manual',
    })
  const send: ConsoleFixture['send'] = (method, path, { cookie, headers = {}, body = {} } = {}) =>
    fetch(`${url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        [csrfHeader]: csrfValue,
        ...headers,
        ...(cookie === undefined ? {} : { cookie }),
      },
      ...(method === 'GET' ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  const post: ConsoleFixture['post'] = (path, options) => send('POST', path, options)
  const mintLink = (userId: string) =>
    mintSignInLink(engine, { userId, vault, random: systemRandom, nowMs: nowMs() })
  return {
    url,
    engine,
    vault,
    rotateSecret: () => {
      ring = withNewKey(ring)
    },
    seeded,
    errors,
    passTime: (ms) => {
      passedMs += ms
    },
    nowMs,
    mintLink,
    signIn: async (userId) => {
      const response = await post('/console/api/sign-in-link', {
        body: { token: await mintLink(userId) },
      })
      return cookieOf(response)
    },
    openInvitation: async (userId) => {
      const link = { userId, vault, random: systemRandom, nowMs: nowMs() }
      const token = await write(engine, nowMs(), ({ tx }) => addInvitationLink(tx, link))
      return cookieOf(await post('/console/api/invitation', { body: { token } }))
    },
    get,
    post,
    send,
    makeToken: async (scopes, accountId) => {
      const settings = {
        name: 'test',
        scopes,
        accountId: accountId ?? null,
        expiresAt: null,
        addresses: null,
      }
      const tools = { vault, random: systemRandom, nowMs: nowMs() }
      const creator = { kind: 'command-line', actor: 'cli' } as const
      const made = await write(engine, nowMs(), (writing) =>
        createToken(writing, tools, settings, creator),
      )
      return made.value
    },
    admin: (token, method, path, { headers = {}, body } = {}) =>
      fetch(`${url}${adminRoot}${path}`, {
        method,
        redirect: 'manual',
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined
          ? {}
          : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    close: async () => {
      await server.stop(true)
      await admin.settled()
      const unnamed = await unnamedAuditFields(engine)
      await engine.close()
      rmSync(folder, { recursive: true, force: true })
      if (unnamed.length > 0)
        throw new Error(`fields without a name in the console: ${unnamed.join(', ')}`)
    },
  }
}

interface Seeding {
  /** The time of the seeding, at which the clock of a fixture begins. */
  readonly startMs: number
  readonly seeded: Seeded
}

async function migrateAndSeed(
  engine: Engine,
  requestCount: number,
  isSeeded = true,
): Promise<Seeding> {
  const startMs = Date.now()
  await migrate(engine, migrations, startMs)
  if (!isSeeded) return { startMs, seeded: {} as Seeded }
  return {
    startMs,
    seeded: await seedConsole(
      engine,
      vaultOf(() => firstRing),
      startMs,
      requestCount,
    ),
  }
}

type SeededFile = Seeding & { readonly path: string }

const seededFiles = new Map<number, Promise<SeededFile>>()

/** Created once per process and then copied: seeding takes ten times as long as copying. */
function seededFile(requestCount: number): Promise<SeededFile> {
  const made = seededFiles.get(requestCount) ?? makeSeededFile(requestCount)
  seededFiles.set(requestCount, made)
  return made
}

async function makeSeededFile(requestCount: number): Promise<SeededFile> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-console-template-'))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'template.db')
  await copyMigratedFile(path)
  const engine = await openStore(`sqlite://${path}`)
  const seeding = await migrateAndSeed(engine, requestCount)
  await engine.close()
  return { ...seeding, path }
}

function listenTo(
  onSelect: (from: string) => void = () => {},
  onSelected: (from: string) => void = () => {},
): KyselyPlugin {
  const places = new WeakMap<object, string>()
  return {
    transformQuery: ({ node, queryId }) => {
      if (node.kind !== 'SelectQueryNode') return node
      const from = JSON.stringify(node.from ?? null)
      places.set(queryId, from)
      onSelect(from)
      return node
    },
    transformResult: async ({ result, queryId }) => {
      const from = places.get(queryId)
      if (from !== undefined) onSelected(from)
      return result
    },
  }
}

/** The database, with a function that runs right after each transaction. */
function interrupt(db: Engine['db'], after: () => Promise<void>): Engine['db'] {
  const transaction = (): object => ({
    execute: async (work: Parameters<ReturnType<Engine['db']['transaction']>['execute']>[0]) => {
      const result = await db.transaction().execute(work)
      await after()
      return result
    },
  })
  return new Proxy(db, {
    get: (target, name) => {
      if (name === 'transaction') return transaction
      const member: unknown = Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}

export function cookieOf(response: Response): string {
  return (response.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
}

export async function readJson<T>(response: Response | Promise<Response>): Promise<T> {
  return (await (await response).json()) as T
}
