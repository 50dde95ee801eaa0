import { z } from 'zod'
import type { OperationRoute } from '../../src/console-api/routes/route.ts'
import { routes } from '../../src/console-api/routes/routes.ts'
import { Chance } from '../simulation/chance.ts'
import { type ConsoleFixture, openConsoleFixture } from '../support/console/console-fixture.ts'
import { annPassword, secretValues } from '../support/console/console-seed.ts'
import { anything, pick } from './mutate.ts'

export interface ConsoleReport {
  inputs: number
  readonly statuses: Record<string, number>
  readonly failures: string[]
}

/** Field names of the console's forms. */
const fieldNames: readonly string[] = [
  'accountId',
  'addresses',
  'amountNano',
  'baseUrl',
  'credentials',
  'creditNano',
  'email',
  'endsAtMs',
  'expiresAtMs',
  'groups',
  'id',
  'isEnabled',
  'models',
  'name',
  'note',
  'password',
  'price',
  'priority',
  'protocol',
  'quotaNano',
  'role',
  'status',
  'token',
  'userId',
  'value',
  'vendor',
]
const ids: readonly string[] = [
  'acme',
  'globex',
  'key_a1',
  'key_g1',
  'u_ann',
  '%00',
  '..%2f',
  '%ff',
  '__proto__',
  'x',
]
const batch = 100
/** These routes may return the value of a key. No other response may contain one. */
const tellsKeys = /\/(?:reveal|rotate)$/

/**
 * Calls every route of the console without a sign-in, as a member and as an administrator, with bodies that no page
 * sends.
 */
export async function runConsole(
  seed: number,
  count: number,
  onProgress?: (done: number) => void,
): Promise<ConsoleReport> {
  const fixture = await openConsoleFixture()
  const report: ConsoleReport = { inputs: 0, statuses: {}, failures: [] }
  try {
    for (let from = 0; from < count; from += batch) {
      // An earlier input may have ended the sessions.
      const cookies = [undefined, await fixture.signIn('u_owen'), await fixture.signIn('u_root')]
      fixture.passTime(60_000)
      for (let index = from; index < Math.min(count, from + batch); index += 1) {
        await sendOne(fixture, cookies, new Chance(seed * 7_919 + index), index, report)
      }
      onProgress?.(report.inputs)
    }
    for (const error of fixture.errors) report.failures.push(`console: ${String(error)}`)
  } finally {
    await fixture.close().catch(() => undefined)
  }
  return report
}

async function sendOne(
  fixture: ConsoleFixture,
  cookies: readonly (string | undefined)[],
  chance: Chance,
  index: number,
  report: ConsoleReport,
): Promise<void> {
  const route = pick(chance, routes)
  const path = `/console/api${route.path}`
    .replace('{id}', pick(chance, ids))
    .replace('{rest}', pick(chance, ['v1/models', '..%2f..%2fmetrics', 'v1/chat/completions']))
  const query = chance.is(0.5) ? queryOf(chance, route) : ''
  const method = chance.is(0.9) ? route.method : pick(chance, ['GET', 'PUT', 'DELETE', 'POST'])
  const response = await fixture.send(method, `${path}${query}`, {
    cookie: pick(chance, cookies),
    body: bodyOf(chance),
  })
  const text = `${JSON.stringify([...response.headers])}${await response.text()}`
  report.inputs += 1
  report.statuses[response.status] = (report.statuses[response.status] ?? 0) + 1
  const what = `console #${index} ${method} ${path}`
  if (response.status >= 500) report.failures.push(`${what}: status ${response.status}`)
  const secrets = [
    secretValues.upstream,
    annPassword,
    ...(tellsKeys.test(path) ? [] : [secretValues.key]),
  ]
  if (secrets.some((secret) => text.includes(secret))) report.failures.push(`${what}: a secret`)
}

/** Parameters of the route, and sometimes an unknown one. */
function queryOf(chance: Chance, { query }: OperationRoute): string {
  const taken = query instanceof z.ZodObject ? Object.keys(query.shape) : []
  const names = [...taken.filter(() => chance.is(0.4)), ...(chance.is(0.2) ? ['limit'] : [])]
  return `?${names.map((name) => `${name}=${pick(chance, ids)}`).join('&')}`
}

function bodyOf(chance: Chance): string {
  if (chance.is(0.2)) return anything(chance, 0)
  const names = fieldNames.filter(() => chance.is(0.3))
  return `{${names.map((name) => `${JSON.stringify(name)}:${anything(chance, 2)}`).join()}}`
}
