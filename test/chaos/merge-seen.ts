import type { Seen } from './callers.ts'

/** Joins what the callers of several gateways on one database have seen. */
export function mergeSeen(all: readonly Seen[]): Seen {
  return {
    sent: all.reduce((sum, { sent }) => sum + sent, 0),
    whole: new Map(all.flatMap(({ whole }) => [...whole])),
    begun: new Set(all.flatMap(({ begun }) => [...begun])),
    refused: new Map(all.flatMap(({ refused }) => [...refused])),
    longestMs: Math.max(...all.map(({ longestMs }) => longestMs)),
    absurd: all.flatMap(({ absurd }) => absurd),
  }
}
