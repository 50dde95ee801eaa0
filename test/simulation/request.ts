import { noUsage } from '../../src/core/usage.ts'
import type { HoldWish, Settlement } from '../../src/ledger/ledger.ts'
import type { Chance } from './chance.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import type { VirtualTime } from './virtual-time.ts'

/** What the client of one request knows about it. */
export interface KnownRequest {
  readonly requestId: string
  readonly process: SimulatedProcess
  readonly recoveryNano: bigint
  isAdmitted: boolean
  /** What the gateway wanted to charge, whether or not it could write that down. */
  costNano: bigint | undefined
  /** The last byte has reached the client. */
  isAnswered: boolean
}

const longestMs = 8_000

/** One request from its hold to its last byte, or as far as its process lives. */
export async function makeRequest(
  request: KnownRequest,
  parts: { time: VirtualTime; chance: Chance; keyId: string; amountNano: bigint },
): Promise<void> {
  const { time, chance, amountNano } = parts
  const { ledger, life } = request.process
  const verdict = await ledger.reserve(wishOf(request, parts.keyId, amountNano))
  if (!verdict.ok) return
  const { hold } = verdict
  await hold.admitted
  if (life.isOver) return
  request.isAdmitted = true
  await time.sleep(chance.whole(0, longestMs))
  if (life.isOver) return
  if (chance.is(0.2)) await hold.extend(BigInt(chance.whole(1, 20)))
  if (life.isOver) return
  request.costNano = BigInt(chance.whole(0, Number(hold.grantedNano)))
  await hold.settleSoon(costing(request.costNano), [])
  if (life.isOver) return
  request.isAnswered = true
}

function costing(costNano: bigint): Settlement {
  return {
    costNano,
    usage: noUsage,
    usageSource: 'upstream',
    priceVersionId: 'p',
    factorMicro: 1_000_000n,
    flags: [],
  }
}

function wishOf(request: KnownRequest, keyId: string, amountNano: bigint): HoldWish {
  return {
    requestId: request.requestId,
    accountId: 'a',
    keyId,
    amountNano,
    recoveryNano: request.recoveryNano,
    story: {
      at: 1,
      model: 'm',
      protocol: 'chat-completions',
      groupId: 'g',
      priceVersionId: 'p',
      factorMicro: 1_000_000,
      inputTokens: 1,
      isStream: false,
      clientAddress: '127.0.0.1',
    },
  }
}
