import type { TestProtocol } from './test-protocol.ts'
import type { Pair } from './test-protocols.ts'
import { allPairs } from './test-protocols.ts'

/** Runs the check with each upstream protocol concurrently; a failure names the protocol. */
export async function overEach(
  from: TestProtocol,
  check: (pair: Pair) => Promise<void>,
): Promise<void> {
  const pairs = allPairs.filter((pair) => pair.from === from)
  await Promise.all(
    pairs.map(async (pair) => {
      try {
        await check(pair)
      } catch (cause) {
        throw new Error(`${pair.pair}: ${cause instanceof Error ? cause.message : ''}`, { cause })
      }
    }),
  )
}
