import { smallerOf } from '../../src/core/money/money.ts'
import type { Price } from '../../src/core/money/price.ts'
import { noUsage } from '../../src/core/money/usage.ts'
import type { HoldRequest, Progress, Settlement } from '../../src/ledger/ledger.ts'
import type { Chance } from './chance.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import type { VirtualTime } from './virtual-time.ts'

/** The facts that the client of one request knows. */
export interface KnownRequest {
  readonly requestId: string
  readonly process: SimulatedProcess
  readonly keyId: string
  /** The owner of the key at that moment; undefined for a service key. */
  readonly userId: string | undefined
  readonly recoveryNano: bigint
  /** The time at which the hold was requested. */
  readonly askedAtMs: number
  /** The time of the admission, as far as the client knows. */
  admittedAtMs: number | undefined
  /** The recorded checkpoints: amount and time. */
  readonly checkpoints: { readonly atMs: number; readonly nano: bigint }[]
  /** The charge that the gateway intended, whether or not it could be written. */
  costNano: bigint | undefined
  /** The time at which the last byte reached the client. */
  answeredAtMs: number | undefined
}

/** A token is a nano. */
export const price: Price = {
  versionId: 'p',
  inputNano: 1_000_000n,
  cacheReadNano: 0n,
  cacheWrite5mNano: 0n,
  cacheWrite1hNano: 0n,
  outputNano: 1_000_000n,
  requestNano: 0n,
}

export const requestMsMax = 8_000

/** One request from its hold to its last byte, or to the death of its process. */
export async function makeRequest(
  request: KnownRequest,
  parts: { time: VirtualTime; chance: Chance; amountNano: bigint },
): Promise<void> {
  const { time, chance, amountNano } = parts
  const { ledger, life } = request.process
  const isOver = async (): Promise<boolean> => {
    await life.awake()
    return life.isOver
  }
  if (await isOver()) return
  const waitsFor = chance.oneOf(undefined, 'nothing' as const, 'in-flight' as const)
  const asked = holdRequestOf(request, amountNano)
  const verdict = await ledger.reserve(waitsFor === undefined ? asked : { ...asked, waitsFor })
  if (!verdict.ok) return
  const { hold } = verdict
  await hold.admitted
  if (await isOver()) return
  request.admittedAtMs = time.nowMs
  for (let count = chance.whole(0, 2); count > 0; count -= 1) {
    await time.sleep(chance.whole(0, requestMsMax / 4))
    if (await isOver()) return
    const nano = smallerOf(request.recoveryNano + BigInt(3 - count), hold.grantedNano)
    hold.checkpoint(progressing(nano))
    request.checkpoints.push({ atMs: time.nowMs, nano })
  }
  await time.sleep(chance.whole(0, requestMsMax / 2))
  if (await isOver()) return
  if (chance.is(0.2)) await hold.extend(BigInt(chance.whole(1, 20)))
  if (await isOver()) return
  const ratedNano = reportedNano(chance, hold.grantedNano)
  if (ratedNano > hold.grantedNano) await hold.cover(ratedNano - hold.grantedNano)
  if (await isOver()) return
  request.costNano = smallerOf(ratedNano, hold.grantedNano)
  await hold.settleSoon(costing(ratedNano), [])
  if (await isOver()) return
  request.answeredAtMs = time.nowMs
}

/** Sometimes the upstream reports the maximum of its model, and sometimes far more. */
function reportedNano(chance: Chance, grantedNano: bigint): bigint {
  if (chance.is(0.2)) return grantedNano
  const most = chance.is(0.1) ? 5n * grantedNano : grantedNano
  return BigInt(chance.whole(0, Number(most)))
}

export function costing(costNano: bigint): Settlement {
  return {
    costNano,
    usage: { ...noUsage, output: Number(costNano) },
    usageSource: 'upstream',
    priceVersionId: price.versionId,
    factorMicro: 1_000_000n,
    flags: [],
  }
}

function progressing(costNano: bigint): Progress {
  const { usage, priceVersionId } = costing(costNano)
  const rated = { priceVersionId, factorMicro: 1_000_000, model: 'm', groupId: 'g' }
  return { costNano, usage, ...rated }
}

export function holdRequestOf(
  request: Pick<KnownRequest, 'requestId' | 'keyId' | 'recoveryNano'> &
    Partial<Pick<KnownRequest, 'userId'>>,
  amountNano: bigint,
): HoldRequest {
  return {
    requestId: request.requestId,
    accountId: 'a',
    keyId: request.keyId,
    userId: request.userId,
    amountNano,
    recoveryNano: request.recoveryNano,
    recovery: {
      at: 1,
      model: 'm',
      protocol: 'chat-completions',
      groupId: 'g',
      priceVersionId: price.versionId,
      factorMicro: 1_000_000,
      inputTokens: Number(request.recoveryNano),
      isStream: false,
      clientAddress: '127.0.0.1',
    },
  }
}
