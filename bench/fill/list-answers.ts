import type { Engine } from '../../src/store/engine.ts'

export interface AnswerToMeasure {
  readonly name: string
  /** A user who sees every account, or the owner of the busiest account. */
  readonly as: 'operator' | 'member'
  readonly path: string
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** The requests of the console's pages. */
export async function listAnswers(engine: Engine): Promise<AnswerToMeasure[]> {
  const nowMs = Date.now()
  const fromMs = nowMs - 30 * dayMs
  const both = (name: string, path: string): AnswerToMeasure[] => [
    { name: `busiest account: ${name}`, as: 'member', path: `/console/api${path}` },
    { name: `all accounts: ${name}`, as: 'operator', path: `/console/api${path}` },
  ]
  const operator = (name: string, path: string): AnswerToMeasure => ({
    name,
    as: 'operator',
    path: `/console/api${path}`,
  })
  return [
    ...overviews(both),
    ...logPages(both, nowMs),
    ...sums(both, fromMs),
    operator(
      'all accounts: series of 30 days by account',
      `/usage/series?from=${fromMs}&by=account`,
    ),
    ...both('first page of the CSV', '/usage/export'),
    ...both('first page of the CSV, one model', '/usage/export?model=model-2'),
    ...both('values of the filters', '/usage/facets'),
    operator('one request', `/usage/${await anyRequest(engine)}`),
    ...lists(both, operator, nowMs),
  ]
}

type Both = (name: string, path: string) => AnswerToMeasure[]

function overviews(both: Both): AnswerToMeasure[] {
  return ['24h', '7d', '30d', '90d'].flatMap((period) =>
    ['model', 'key', 'group'].flatMap((by) =>
      both(`overview of ${period} by ${by}`, `/overview?period=${period}&by=${by}`),
    ),
  )
}

function logPages(both: Both, nowMs: number): AnswerToMeasure[] {
  const queries = {
    'no filter': '',
    'in the middle': `to=${nowMs - 45 * dayMs}`,
    'busiest key': 'key=key_0',
    'another key': 'key=key_17',
    'one model': 'model=model-2',
    'a rarely used model': 'model=rare-model',
    'a model never used': 'model=none',
    'one protocol': 'protocol=messages',
    'one group': 'group=premium',
    errors: 'status=error',
    'errors of the busiest key': 'key=key_0&status=error',
    'no errors': 'status=ok',
    'status 429': 'status=429',
    'status 404 (no rows)': 'status=404',
    streams: 'stream=true',
    'cost within bounds': 'minCost=500000&maxCost=501000',
    'a cost that no request has': 'minCost=9000000000',
    'the beginning of an id': 'request=01',
    'one day, key, protocol, group': `key=key_0&protocol=messages&group=premium&from=${nowMs - 3 * dayMs}&to=${nowMs - 2 * dayMs}`,
  }
  return Object.entries(queries).flatMap(([name, query]) => both(`log, ${name}`, `/usage?${query}`))
}

function sums(both: Both, fromMs: number): AnswerToMeasure[] {
  const queries = {
    'no filter': '',
    '30 days': `from=${fromMs}`,
    'busiest key': 'key=key_0',
    'one model': 'model=model-2',
    errors: 'status=error',
    'status 429': 'status=429',
    streams: 'stream=true',
    'cost within bounds': 'minCost=500000&maxCost=600000',
  }
  const totals = Object.entries(queries).flatMap(([name, query]) =>
    both(`totals, ${name}`, `/usage/totals?${query}`),
  )
  const series = Object.entries(queries).flatMap(([name, query]) =>
    both(`series by model, ${name}`, `/usage/series?${query}`),
  )
  const others = ['key', 'group', 'protocol'].flatMap((by) =>
    both(`series of 30 days by ${by}`, `/usage/series?from=${fromMs}&by=${by}`),
  )
  return [...totals, ...series, ...others]
}

function lists(
  both: Both,
  operator: (name: string, path: string) => AnswerToMeasure,
  nowMs: number,
): AnswerToMeasure[] {
  return [
    ...both('keys', '/keys'),
    ...both('keys with 7 in their name', '/keys?search=7'),
    ...both('a key by its name', '/keys?search=Key%2099'),
    ...both('a key that does not exist', '/keys?search=nowhere'),
    ...both('models', '/models'),
    {
      name: 'busiest account: statement',
      as: 'member',
      path: '/console/api/billing?account=acc_0',
    },
    {
      name: 'busiest account: statement of 90 days',
      as: 'member',
      path: `/console/api/billing?account=acc_0&from=${new Date(nowMs - 90 * dayMs).toISOString().slice(0, 10)}`,
    },
    operator('accounts', '/operate/accounts'),
    operator('accounts, search', '/operate/accounts?search=99'),
    operator('accounts, search without a match', '/operate/accounts?search=nowhere'),
    operator('users', '/operate/users'),
    operator('users, search', '/operate/users?search=n999'),
    operator('users, search without a match', '/operate/users?search=nowhere'),
    operator('models and prices', '/operate/models'),
    operator('models without a price or route', '/operate/model-gaps'),
    operator('groups', '/operate/groups'),
    operator('upstreams with their spend', '/operate/upstreams'),
    operator('system', '/operate/system'),
    operator('audit', '/operate/audit'),
    operator('audit, a rare action', '/operate/audit?action=account.credited'),
    operator('audit, an action that does not exist', '/operate/audit?action=nowhere'),
    operator('audit of one subject', '/operate/audit?subject=key_77'),
    operator('audit of one actor', '/operate/audit?actor=user_7'),
    operator(
      'audit of a day in the middle',
      `/operate/audit?from=${nowMs - 46 * dayMs}&to=${nowMs - 45 * dayMs}`,
    ),
  ]
}

async function anyRequest({ db }: Engine): Promise<string> {
  const row = await db
    .selectFrom('usage_row')
    .select('request_id')
    .orderBy('request_id')
    .limit(1)
    .executeTakeFirstOrThrow()
  return row.request_id
}
