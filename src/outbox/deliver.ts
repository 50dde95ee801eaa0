import type { Channel } from '../core/message-state.ts'
import type { Engine } from '../store/engine.ts'
import type { Vault } from '../store/secrets/vault.ts'
import { type ClaimedMessage, DeliveryFailure, errorLine } from './message.ts'
import { type ClaimOptions, claimDue, markFailed, markSent } from './outbox-store.ts'

export type DeliveryOutcome = 'sent' | 'retried' | 'failed'

export interface DeliveryDeps {
  readonly engine: Pick<Engine, 'db'>
  readonly vault: Vault
  nowMs(): number
  /** Sends one message; throws when it was not delivered. */
  send(message: ClaimedMessage): Promise<void>
  onOutcome(channel: Channel, outcome: DeliveryOutcome, message: ClaimedMessage, why: string): void
}

/** A message that is being sent. */
export interface Delivery {
  readonly accountId: string | null
  /** Fails only if the database does. */
  readonly ended: Promise<void>
}

/** Begins to send messages that are due. */
export async function deliverDue(
  deps: DeliveryDeps,
  options: ClaimOptions = {},
): Promise<readonly Delivery[]> {
  const { engine, vault } = deps
  const claimed = await claimDue(engine, { vault, nowMs: deps.nowMs() }, options)
  return claimed.map((message) => ({
    accountId: message.accountId,
    ended: deliver(deps, message),
  }))
}

/**
 * A message that was sent, but whose row could not be changed, is sent again after the claim: a message may arrive
 * twice, but is never lost.
 */
async function deliver(deps: DeliveryDeps, message: ClaimedMessage): Promise<void> {
  const { engine } = deps
  try {
    await deps.send(message)
  } catch (error) {
    const line = errorLine(error)
    const isPermanent = error instanceof DeliveryFailure && error.isPermanent
    const failure = { error: line, isPermanent, nowMs: deps.nowMs() }
    const outcome = await markFailed(engine, message, failure)
    if (outcome) deps.onOutcome(message.channel, outcome, message, line)
    return
  }
  await markSent(engine, message.seq, deps.nowMs())
  deps.onOutcome(message.channel, 'sent', message, '')
}
