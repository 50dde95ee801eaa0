import { afterAll, beforeAll, beforeEach, describe } from 'bun:test'
import type {
  ErrorAnswer,
  PasskeyCreation,
  PasskeyQuestion,
  PasskeysAnswer,
} from '../../../../src/console-api/contract.ts'
import type { GatewayPorts } from '../../../../src/console-api/ports/gateway-ports.ts'
import {
  addressHeader,
  type ConsoleFixture,
  cookieOf,
  openConsoleFixture,
  readJson,
} from '../../../support/console/console-fixture.ts'
import { type FreshDatabase, freshDatabase } from '../../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../../support/postgres/postgres-server-url.ts'
import {
  type AuthenticatorFaults,
  SoftwareAuthenticator,
} from '../../../support/software-authenticator.ts'

export const api = '/console/api'
export const minuteMs = 60_000
export const party = { id: 'gw.example.com', origin: 'https://gw.example.com' }
const engines = ['sqlite', 'postgres'] as const

/** Of the running suite. */
export let fixture: ConsoleFixture
/** The cookie of a fresh session of Ann. */
export let ann: string
let address = 0

/** Each test has its own address, so that no test uses up the attempts of another. */
const from = () => ({ [addressHeader]: `198.51.100.${address % 250}` })
export const send = (
  method: string,
  path: string,
  cookie: string | undefined,
  body: unknown = {},
) => fixture.send(method, `${api}${path}`, { cookie, body, headers: from() })
export const errorOf = async (response: Promise<Response> | Response) =>
  (await readJson<ErrorAnswer>(response)).error
export const codeOf = async (response: Promise<Response> | Response) =>
  (await errorOf(response)).code

export async function add(
  cookie: string,
  device = new SoftwareAuthenticator(party.origin),
  lies?: AuthenticatorFaults,
) {
  const options = await readJson<PasskeyCreation>(send('POST', '/passkeys/start', cookie))
  const response = await send('POST', '/passkeys', cookie, {
    name: 'Laptop',
    ...device.create(options, lies),
  })
  return { device, response }
}

export async function ask() {
  const response = await send('POST', '/sign-in/passkey/start', undefined)
  return { question: await readJson<PasskeyQuestion>(response), cookie: cookieOf(response) }
}

export async function signIn(device: SoftwareAuthenticator, lies?: AuthenticatorFaults) {
  const { question, cookie } = await ask()
  return send('POST', '/sign-in/passkey', cookie, device.get(question, lies))
}

export const listOf = async (cookie: string) =>
  (await readJson<PasskeysAnswer>(fixture.get(`${api}/passkeys`, { cookie }))).passkeys

async function clear() {
  const { db } = fixture.engine
  await db.deleteFrom('passkey').execute()
  await db.deleteFrom('passkey_challenge').execute()
}

export const sessionsOf = async (userId: string) =>
  (
    await fixture.engine.db
      .selectFrom('session')
      .select('user_id')
      .where('user_id', '=', userId)
      .execute()
  ).length

export async function lastAudit(action: string) {
  const row = await fixture.engine.db
    .selectFrom('audit')
    .selectAll()
    .where('action', '=', action)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && { actor: row.actor, subject: row.subject, after: row.after, before: row.before }
}

const available = engines.filter(
  (kind) => kind === 'sqlite' || postgresServerUrl('passkeys on Postgres') !== undefined,
)

/** Runs the tests on both engines, each with a console at a host name, without passkeys at first. */
export function passkeySuite(
  name: string,
  tests: (kind: (typeof engines)[number]) => void,
  gateway: Partial<GatewayPorts> = {},
): void {
  describe.each([...available])(`${name} on %s`, (kind) => {
    let database: FreshDatabase | undefined

    beforeAll(async () => {
      database = kind === 'postgres' ? await freshDatabase() : undefined
      fixture = await openConsoleFixture({
        relyingParty: party,
        gateway,
        ...(database && { databaseUrl: database.url }),
      })
    })
    afterAll(async () => {
      await fixture.close()
      await database?.drop()
    })
    beforeEach(async () => {
      address += 1
      await clear()
      // A day later no limit of an earlier test is in force.
      fixture.passTime(24 * 60 * minuteMs)
      ann = await fixture.signIn('u_ann')
    })
    tests(kind)
  })
}
