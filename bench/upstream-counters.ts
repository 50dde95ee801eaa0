export interface UpstreamCounters {
  readonly requests: number
  readonly events: number
  readonly openStreams: number
}

const answerLimitMs = 5000

export async function readUpstreamCounters(upstreamUrl: string): Promise<UpstreamCounters> {
  const response = await fetch(`${upstreamUrl}/counters`, {
    signal: AbortSignal.timeout(answerLimitMs),
  })
  const value: unknown = await response.json()
  return {
    requests: readCount(value, 'requests'),
    events: readCount(value, 'events'),
    openStreams: readCount(value, 'openStreams'),
  }
}

function readCount(value: unknown, name: string): number {
  const count = Object.entries(value ?? {}).find(([field]) => field === name)?.[1]
  if (typeof count !== 'number') throw new Error(`the bench upstream did not count its ${name}`)
  return count
}
