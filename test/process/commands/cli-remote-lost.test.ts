import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openStore } from '../../../src/store/open-store.ts'
import { cleanUpAfterwards } from '../../support/process/tollgate-process.ts'
import { terminalIn } from '../../unit/cli/run-line.ts'
import { openRemoteFixture, type RemoteFixture } from './remote-fixture.ts'

cleanUpAfterwards()

const rowsMade = 120
let fixture: RemoteFixture
let gateway: RemoteFixture['gateway']
let run: RemoteFixture['run']
let listen: RemoteFixture['listen']
beforeAll(async () => {
  fixture = await openRemoteFixture()
  ;({ gateway, run, listen } = fixture)
})
afterAll(() => fixture.close())

/** Forwards requests to the gateway, and drops the answers to the first of them that change something. */
async function listenLossy(drops: number) {
  const keys: (string | undefined)[] = []
  let left = drops
  const url = await listen(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers
    const answer = await fetch(gateway.url + (request.url ?? ''), {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(pieces.length > 0 && { body: Buffer.concat(pieces) }),
    })
    const body = Buffer.from(await answer.arrayBuffer())
    if (request.method !== 'GET') {
      keys.push(request.headers['idempotency-key']?.toString())
      if (left > 0) {
        left -= 1
        request.socket.destroy()
        return
      }
    }
    const type = answer.headers.get('content-type') ?? ''
    response.writeHead(answer.status, { 'content-type': type }).end(body)
  })
  return { url, keys }
}

describe('a lost connection', () => {
  const creditsFor = async (reason: string) =>
    (await fixture.readLedger()).credits.filter((each) => each.reason === reason)

  test('lost once: the command retries with the same idempotency key, and money moves once', async () => {
    const { url, keys } = await listenLossy(1)
    const said = await run(`accounts credit acme 1 --reason lost-once --url ${url}`)
    expect(said).toMatchObject({ code: 0, err: '' })
    expect(said.out).toStartWith('$1.00 added to acme; ')
    expect(keys).toEqual([expect.stringMatching(/^credit_\w+$/), keys[0]])
    expect(await creditsFor('lost-once')).toHaveLength(1)
  })

  test.each([
    ['accounts credit acme 1 --reason lost', 'added to acme', 1],
    ['accounts correct acme 1 --reason lost-too --yes', 'deducted from acme', 1],
    ['accounts create lost --credit 1', 'account lost created', 0],
    ['accounts credit acme 20000 --reason lost-large --yes', 'added to acme', 1],
    ['accounts create lost-large --credit 20000 --yes', 'account lost-large created', 0],
  ])(
    'lost every time, %s: the message says how to repeat the command, and the repeat takes effect once',
    async (line, done, count) => {
      const { url, keys } = await listenLossy(9)
      const said = await run(`${line} --url ${url}`)
      expect([said.code, said.out]).toEqual([1, ''])
      expect(said.err).toContain('was lost before the response arrived')
      const [, key = ''] = /Repeat it with --idempotency-key (\S+); the/.exec(said.err) ?? []
      expect(new Set(keys)).toEqual(new Set([key]))
      for (let repeat = 0; repeat < 2; repeat += 1) {
        const again = await run(`${line} --idempotency-key ${key} --url ${gateway.url}`)
        expect([again.code, again.err]).toEqual([0, ''])
        expect(again.out).toContain(done)
      }
      const reason = /--reason (\S+)/.exec(line)?.[1] ?? 'none'
      expect(await creditsFor(reason)).toHaveLength(count)
    },
  )

  const others: [line: string, advice: string][] = [
    ['keys create --account acme --name lost', 'check with "tollgate keys list"'],
    ['tokens create --name lost --scope read', 'check with "tollgate tokens list"'],
    ['accounts reverse acme nope --yes', 'it is safe to repeat it'],
    ['accounts suspend lost', 'it is safe to repeat it'],
    ['audit', 'Nothing was changed'],
  ]
  test.each(others)('%s is sent once and prints: %s', async (line, advice) => {
    const { url, keys } = await listenLossy(9)
    const said = await run(`${line} --url ${url}`)
    expect([said.code, said.out]).toEqual([1, ''])
    expect(said.err).toContain(advice)
    expect(keys).toEqual([undefined])
  })

  test('an unreadable response is reported as an unknown outcome', async () => {
    const url = await listen((_, response) => response.writeHead(200).end())
    const said = await run(`accounts credit acme 1 --url ${url}`)
    expect(said.err).toContain('There is no Tollgate admin API')
    expect(said.err).toContain(
      'It is not known whether the command took effect. Repeat it with --idem',
    )
  })

  test('a proxy timeout is reported as an unknown outcome', async () => {
    const url = await listen((_, response) => response.writeHead(504).end('<html>'))
    const said = await run(`accounts credit acme 1 --url ${url}`)
    expect(said.err).toContain('returned HTTP 504')
    expect(said.err).toContain(
      'It is not known whether the command took effect. Repeat it with --idem',
    )
  })
})

describe('lists of many pages', () => {
  beforeAll(async () => {
    const engine = await openStore(`sqlite://${fixture.workspace.path('data/tollgate.db')}`)
    const numbers = Array.from({ length: rowsMade }, (_, index) => String(index).padStart(4, '0'))
    const { db } = engine
    await db
      .insertInto('account')
      .values(
        numbers.map((number) => ({
          id: `many-${number}`,
          name: `Many ${number}`,
          status: 'active',
          available_nano: 0n,
          created_at: 1,
        })),
      )
      .execute()
    await db
      .insertInto('admin_token')
      .values(
        numbers.map((number) => ({
          id: `tok_${number}`,
          name: `many-${number}`,
          value_hash: `hash-${number}`,
          value_hint: 'tgat_…abcd',
          scopes: '["keys"]',
          account_id: 'many-0000',
          made_by: 'cli',
          created_at: 1,
        })),
      )
      .execute()
    await db
      .insertInto('api_key')
      .values(
        numbers.map((number) => ({
          id: `key_${number}`,
          account_id: 'many-0000',
          name: `many-${number}`,
          value_hash: `hash-${number}`,
          value_sealed: 'sealed',
          value_hint: 'sk-…abcd',
          imported: 0,
          groups: '["default"]',
          enabled: 1,
          spent_nano: 0n,
          created_at: 1,
        })),
      )
      .execute()
    await engine.close()
  })

  test.each([
    ['accounts list', /^many-\d{4} /gm],
    ['keys list --account many-0000', /^key_\d{4} /gm],
    ['tokens list --account many-0000', /^tok_\d{4} /gm],
  ])('%s prints every row once, page by page', async (line, row) => {
    const written: string[] = []
    const stdout = (text: string) => {
      written.push(text)
    }
    const env = { TOLLGATE_TOKEN: fixture.tokens.get('all') ?? '' }
    expect((await run(`${line} --url ${gateway.url}`, 'all', { stdout, env })).code).toBe(0)
    expect(written.length).toBeGreaterThan(2)
    const found = written.join('').match(row) ?? []
    expect([found.length, new Set(found).size]).toEqual([rowsMade, rowsMade])
    const here = await terminalIn(fixture.workspace.folder).run(line)
    expect(written.join('')).toBe(here.out)
    const json = await run(`${line} --json --url ${gateway.url}`)
    expect(JSON.parse(json.out).length).toBeGreaterThanOrEqual(rowsMade)
  })
})
