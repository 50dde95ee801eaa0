import { key, modelOf, type WatchedGateway } from './watched-gateway.ts'

/** One call of the admin API with a document of many entries. */
export interface DocumentCase {
  readonly name: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: () => string
}

/** The largest number of entries in a document. */
const entries = 10_000

const listOf = (count: number, entry: (index: number) => object) =>
  Array.from({ length: count }, (_, index) => entry(index))

function keys() {
  return {
    keys: listOf(entries, (index) => ({
      id: `key-${index}`,
      account: 'bench',
      name: `key ${index}`,
      value: `${key}-${index}`,
      groups: ['default'],
      quota: 1.5,
    })),
  }
}

function models() {
  const ids = Array.from({ length: entries - 1 }, (_, index) => `model-${index}`)
  return {
    models: ids.map((id) => ({ id, price: { input: 0.1, output: 0.1 }, maxOutputTokens: 1_000 })),
    upstreams: [
      {
        id: 'many',
        vendor: 'openai-compatible',
        baseUrl: 'http://127.0.0.1:1/v1',
        credential: 'upstream-key-of-nobody',
        groups: ['default'],
        models: [...ids, modelOf('chat-completions')],
      },
    ],
  }
}

function accounts() {
  const names = Array.from({ length: entries / 2 }, (_, index) => `account-${index}`)
  return {
    accounts: names.map((id) => ({ id, name: id, credit: 1 })),
    users: names.map((id) => ({ email: `${id}@a.test`, accounts: [{ id, role: 'owner' }] })),
  }
}

function grants() {
  const { accounts: all } = accounts()
  const ids = all.map(({ id }) => id)
  const owned = ids.slice(0, 2_000).map((id) => ({ id, role: 'owner' }))
  return {
    accounts: all,
    groups: [{ id: 'many', factor: 1, accounts: ids }],
    users: [{ email: 'all@a.test', accounts: owned }],
  }
}

/** JSON of the largest size that contains only list items. */
const items = () => `{"keys":[${'1,'.repeat(2 * 1024 * 1024 - 10)}1]}`

const documents = {
  '10,000 keys': () => JSON.stringify(keys()),
  '10,000 models': () => JSON.stringify(models()),
  '5,000 accounts and logins': () => JSON.stringify(accounts()),
  'a group and a login of 5,000 accounts': () => JSON.stringify(grants()),
}

const path = '/admin/v1/provision'

export function* documentCases(only: string | undefined): Generator<DocumentCase> {
  const cases: DocumentCase[] = Object.entries(documents).flatMap(([name, body]) => [
    { name: `document: ${name}, tried`, method: 'POST', path: `${path}?dryRun=true`, body },
    { name: `document: ${name}, applied`, method: 'POST', path, body },
    { name: `document: ${name}, applied again`, method: 'POST', path, body },
  ])
  cases.push(
    { name: 'document: 2,000,000 list items', method: 'POST', path, body: items },
    { name: 'document: exported', method: 'GET', path },
    { name: 'document: exported as YAML', method: 'GET', path: `${path}?format=yaml` },
  )
  for (const each of cases) if (only === undefined || each.name.includes(only)) yield each
}

/** Creates a token on the command line, like an operator. */
export async function makeToken(entry: string, { folder }: WatchedGateway): Promise<string> {
  const made = Bun.spawn(
    [
      process.execPath,
      entry,
      'tokens',
      'create',
      '--name',
      'bench',
      '--scope',
      'all',
      '--config',
      `${folder}/tollgate.yaml`,
    ],
    { env: { PATH: process.env['PATH'] ?? '', HOME: folder }, stderr: 'inherit' },
  )
  const text = await new Response(made.stdout).text()
  const value = /^value\s+(\S+)/m.exec(text)?.[1]
  if (value === undefined) throw new Error('the command line created no token')
  return value
}

/** How long one call blocked the event loop, and the status of its answer. */
export async function measureDocument(
  gateway: WatchedGateway,
  token: string,
  { method, path: target, body }: DocumentCase,
) {
  const text = body?.()
  await Bun.sleep(300)
  await gateway.watch()
  const startedAt = performance.now()
  const reply = await fetch(gateway.url + target, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(text === undefined ? {} : { body: text }),
  })
  const answer = await reply.text()
  const tookMs = performance.now() - startedAt
  const megabytes = Math.max(text?.length ?? 0, answer.length) / 1e6
  return { status: reply.status, megabytes, tookMs, ...(await gateway.watch()) }
}
