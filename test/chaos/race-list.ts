import { between, seededRandom } from './chaos-seed.ts'
import { type ChaosShop, chaosKey, inputNano, outputNano, outputTokensMax } from './chaos-shop.ts'
import { costNano, nanoPerDollar, requests, usage } from './race-line.ts'

type Usage = typeof usage

/** Requests that all want the money of one account, key, member or budget, which is short. */
export interface Race {
  /** The name of its account. No race shares an account, a key or a member with another. */
  readonly id: string
  readonly name: string
  /** What pays for exactly `affordable` requests. */
  readonly limit: 'credit' | 'quota' | 'key day' | 'member week' | 'account month' | 'every budget'
  readonly affordable: number
  /** What the money is for: requests of this cost. */
  readonly eachNano: bigint
  /** What the upstream reports. */
  readonly usage: Usage
  /**
   * exact: a hold is what a request costs. wide: a hold is more, as it is for everybody, and what comes back is somebody
   * else's. lying: the same, and the upstream reports more than its model can use.
   */
  readonly kind: 'exact' | 'wide' | 'lying'
  /** Nobody is answered before everybody is decided on: all that was admitted is held at the same time. */
  readonly isHeld: boolean
  readonly isStream: boolean
}

/** Races that follow each other in the same processes. */
export interface RaceDay {
  readonly name: string
  readonly processes: number
  readonly isPostgres: boolean
  readonly races: readonly Race[]
}

/** A short question that is answered at the length that was asked for. */
const trueUsage = {
  prompt_tokens: 20,
  completion_tokens: outputTokensMax,
  total_tokens: 20 + outputTokensMax,
}
/** More than any model takes, and more than was asked for. */
const lyingUsage = {
  prompt_tokens: 9_000_000,
  completion_tokens: 4_096,
  total_tokens: 9_004_096,
}
const trueNano =
  BigInt(trueUsage.prompt_tokens) * inputNano + BigInt(trueUsage.completion_tokens) * outputNano

/** Of a budget, and where holds are wide. */
const fewAffordable = 20

interface Exact {
  readonly part: number
  readonly limit: Race['limit']
  readonly isHeld: boolean
}

const words = {
  credit: 'the credit',
  quota: 'the quota',
  'key day': 'the daily budget of the key',
  'member week': 'the weekly budget of a member with several keys',
  'account month': 'the monthly budget of the account',
  'every budget': 'every budget of a key, its member and the account',
} as const

function exact({ part, limit, isHeld }: Exact): Race {
  const isBudget = limit.includes(' ')
  return {
    id: `race-${part}`,
    name: `${words[limit]} is short${isHeld ? ', all responses come after the last request' : ''}`,
    limit,
    affordable: isBudget ? fewAffordable : between(seededRandom(part), 60, requests / 2),
    eachNano: costNano,
    usage,
    kind: 'exact',
    isHeld,
    isStream: false,
  }
}

/** An honest upstream and one that lies, with the credit short and with the quota short. */
const wideRaces = (['credit', 'quota'] as const).flatMap((limit) =>
  (['wide', 'lying'] as const).map(
    (kind): Race => ({
      id: `${kind}-${limit}`,
      name: `holds are above the cost, ${words[limit]} is short${limit === 'quota' ? ', streams' : ''}`,
      limit,
      affordable: fewAffordable,
      eachNano: trueNano,
      usage: kind === 'wide' ? trueUsage : lyingUsage,
      kind,
      isHeld: false,
      isStream: limit === 'quota',
    }),
  ),
)

export const raceDays: readonly RaceDay[] = [
  {
    name: 'three processes on one Postgres',
    processes: 3,
    isPostgres: true,
    races: [
      exact({ part: 11, limit: 'credit', isHeld: false }),
      exact({ part: 12, limit: 'quota', isHeld: true }),
      exact({ part: 15, limit: 'key day', isHeld: false }),
      exact({ part: 16, limit: 'account month', isHeld: true }),
      exact({ part: 18, limit: 'member week', isHeld: false }),
      exact({ part: 20, limit: 'every budget', isHeld: false }),
      ...wideRaces,
    ],
  },
  {
    name: 'two processes on one SQLite file',
    processes: 2,
    isPostgres: false,
    races: [
      exact({ part: 13, limit: 'credit', isHeld: true }),
      exact({ part: 14, limit: 'quota', isHeld: false }),
      exact({ part: 17, limit: 'key day', isHeld: true }),
      exact({ part: 19, limit: 'member week', isHeld: true }),
    ],
  },
  { name: 'one process on SQLite', processes: 1, isPostgres: false, races: wideRaces },
]

/** A time zone in which it is about noon, so that no period ends during a race. */
function noonZone(): string {
  const hours = new Date().getUTCHours() - 12
  return hours === 0 ? 'UTC' : `Etc/GMT${hours > 0 ? '+' : ''}${hours}`
}

/** The account, the keys and the member of one race. */
export function shopOfRace({ id, limit, affordable, eachNano }: Race): ChaosShop {
  const dollars = Number(eachNano * BigInt(affordable)) / nanoPerDollar
  const plain = limit === 'quota' ? chaosKey(`${id}-k1`, id, dollars) : chaosKey(`${id}-k1`, id)
  // The month began in the middle of the last one, or begins in the middle of the next.
  const budgetMonthDay = new Date().getUTCDate() > 15 ? 5 : 25
  const calendar = { budgetZone: noonZone(), budgetMonthDay }
  const isOf = (each: Race['limit']) => limit === each || limit === 'every budget'
  const key = isOf('key day') ? { ...plain, budgets: { daily: dollars, ...calendar } } : plain
  const account = { id, creditDollars: limit === 'credit' ? dollars : 1_000 }
  const budgets = isOf('account month') ? { monthly: dollars, ...calendar } : {}
  const accounts = [{ ...account, budgets }]
  if (!isOf('member week')) return { accounts, keys: [key] }
  const owner = `${id}@example.com`
  const membership = { id, role: 'member', weekly: dollars, budgetZone: noonZone() }
  const further = limit === 'member week' ? [2, 3, 4, 5] : []
  const keys = [key, ...further.map((each) => chaosKey(`${id}-k${each}`, id))]
  return {
    accounts,
    keys: keys.map((each) => ({ ...each, owner })),
    users: [{ email: owner, accounts: [membership] }],
  }
}
