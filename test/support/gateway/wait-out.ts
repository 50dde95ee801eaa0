import { eventually } from '../eventually.ts'
import type { TestGateway } from './start-gateway.ts'

/** Lets the time pass for which answers are read whose callers have gone, once the gateway has noticed all of them. */
export async function waitOut({ node, clock }: TestGateway): Promise<void> {
  const isNoticed = () => node.departed() > 0 && node.departed() === node.ledger.openHolds
  await eventually('the callers have gone', isNoticed)
  clock.passTime(31_000)
}
