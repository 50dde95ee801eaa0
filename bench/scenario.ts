export const scenarioNames = [
  'planning',
  'budgets',
  'limits',
  'ready',
  'idle',
  'open-streams',
  'request',
  'stream',
  'translated-stream',
  'translated-request',
  'workers',
  'ledger',
  'shipper',
  'durability',
] as const

export type ScenarioName = (typeof scenarioNames)[number]

export type TargetName = 'upstream' | 'nginx' | 'gateway'

// One line of a scenario's table: a target and its figures, by column.
export interface Row {
  readonly target: string
  readonly figures: Readonly<Record<string, number>>
}

export interface Goal {
  readonly title: string
  readonly value: number
  readonly atMost: number
  readonly unit: string
}

export interface Outcome {
  readonly scenario: ScenarioName
  readonly title: string
  readonly rows: readonly Row[]
  readonly goals: readonly Goal[]
}

export function isReached(goal: Goal): boolean {
  return goal.value <= goal.atMost
}
