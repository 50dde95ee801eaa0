import { eventually } from '../eventually.ts'
import type { TestGateway } from './start-gateway.ts'

/**
 * Lets the time pass during which answers of disconnected clients are read on, once the gateway has noticed all
 * disconnects.
 */
export async function waitOut({ node, clock }: TestGateway): Promise<void> {
  const isNoticed = () =>
    node.disconnectedReads() > 0 && node.disconnectedReads() === node.ledger.openHolds
  await eventually('the callers have gone', isNoticed)
  clock.passTime(31_000)
}
