/** Choices with their weights. */
export type Weighted = Readonly<Record<string, number>>

/** A user of the demo. The purpose of the key determines the form of its requests. */
export interface DemoCaller {
  readonly keyId: string
  readonly name: string
  readonly groups: readonly string[]
  readonly models: Weighted
  readonly protocols: Weighted
  readonly streamShare: number
  /** Requests on an ordinary working day. */
  readonly perDay: number
  /** The hours of use in UTC: the first is included, the last is not. */
  readonly hours: readonly [number, number]
  readonly worksAtWeekends: boolean
  /** The first and the last day of use, counted backwards from today. */
  readonly days: readonly [number, number]
  readonly input: readonly [number, number]
  readonly output: readonly [number, number]
  /** The share of the input that is read from a cache. */
  readonly cachedShare: number
  readonly reasons: boolean
  readonly address: string
}

const usual = {
  groups: ['default'],
  worksAtWeekends: true,
  days: [29, 0],
  reasons: false,
  cachedShare: 0,
} as const

export const demoCallers: readonly DemoCaller[] = [
  {
    ...usual,
    keyId: 'demo_website',
    name: 'Website assistant',
    models: { 'demo-small': 9, 'demo-large': 1 },
    protocols: { 'chat-completions': 1 },
    streamShare: 0.95,
    perDay: 70,
    hours: [6, 22],
    input: [300, 4_000],
    output: [60, 700],
    address: '203.0.113.20',
  },
  {
    ...usual,
    keyId: 'demo_agents',
    name: 'Coding agents',
    groups: ['premium', 'default'],
    models: { 'demo-large': 8, 'demo-small': 2 },
    protocols: { messages: 6, responses: 4 },
    streamShare: 1,
    perDay: 55,
    hours: [7, 19],
    worksAtWeekends: false,
    input: [6_000, 90_000],
    output: [200, 4_000],
    cachedShare: 0.85,
    reasons: true,
    address: '198.51.100.4',
  },
  {
    ...usual,
    keyId: 'demo_reports',
    name: 'Nightly reports',
    models: { 'demo-small': 1 },
    protocols: { responses: 1 },
    streamShare: 0,
    perDay: 24,
    hours: [1, 3],
    input: [4_000, 30_000],
    output: [500, 2_500],
    address: '198.51.100.77',
  },
  {
    ...usual,
    keyId: 'demo_phone',
    name: 'Phone app (beta)',
    models: { 'demo-small': 7, 'demo-large': 3 },
    protocols: { 'generate-content': 1 },
    streamShare: 0.8,
    perDay: 30,
    hours: [5, 23],
    days: [12, 0],
    input: [200, 2_500],
    output: [40, 500],
    address: '203.0.113.45',
  },
  {
    ...usual,
    keyId: 'demo_trial',
    name: 'Trial of a partner',
    models: { 'demo-large': 1 },
    protocols: { 'chat-completions': 1 },
    streamShare: 0.5,
    perDay: 8,
    hours: [8, 17],
    worksAtWeekends: false,
    days: [24, 15],
    input: [500, 6_000],
    output: [100, 900],
    address: '192.0.2.9',
  },
]
