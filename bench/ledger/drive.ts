import type { Hold, HoldRequest, HoldVerdict } from '../../src/ledger/ledger.ts'
import { benchHoldRequest, benchRecords, benchSettlement } from './bench-requests.ts'
import type { LedgerFigures } from './ledger-case.ts'

type BenchHold = Pick<Hold, 'admitted' | 'settleSoon'>

/** The part of a ledger that a request needs. */
export interface BenchLedger {
  reserve(request: HoldRequest): BenchHold | Promise<BenchHold>
  shipped(): Promise<void>
}

/** The number of concurrent requests. */
const lanes = 32

/** A ledger that costs nothing: it measures the loop and its waits. */
const freeLedger: BenchLedger = {
  reserve: () => ({ admitted: Promise.resolve(), settleSoon: () => Promise.resolve() }),
  shipped: () => Promise.resolve(),
}

export function holdIn(verdict: HoldVerdict): BenchHold {
  if (!verdict.ok) throw new Error(`the bench was refused: ${verdict.refusal.reason}`)
  return verdict.hold
}

/** Runs requests through the ledger, after the same number to warm up, until the database has them all. */
export async function measureCost(
  ledger: BenchLedger,
  keys: number,
  requests: number,
): Promise<LedgerFigures> {
  await drive(ledger, keys, requests, true)
  await drive(freeLedger, keys, requests, false)
  const loop = await measure(() => drive(freeLedger, keys, requests, false))
  const whole = await measure(() => drive(ledger, keys, requests, true))
  return {
    mainMicroseconds: (whole.main - loop.main) / requests,
    allMicroseconds: (whole.all - loop.all) / requests,
    requestsPerSecond: (requests * 1000) / whole.ms,
  }
}

export interface Measured {
  readonly main: number
  readonly all: number
  readonly ms: number
}

/** CPU time in µs of this thread and of the process, and the elapsed time. */
export async function measure(work: () => Promise<void>): Promise<Measured> {
  Bun.gc(true)
  const mainBefore = process.threadCpuUsage()
  const allBefore = process.cpuUsage()
  const beganMs = performance.now()
  await work()
  const main = process.threadCpuUsage(mainBefore)
  const all = process.cpuUsage(allBefore)
  return {
    main: main.user + main.system,
    all: all.user + all.system,
    ms: performance.now() - beganMs,
  }
}

async function drive(
  ledger: BenchLedger,
  keys: number,
  requests: number,
  isLogged: boolean,
): Promise<void> {
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < requests) {
      const request = benchHoldRequest(next % keys)
      next += 1
      const reserved = ledger.reserve(request)
      const hold = reserved instanceof Promise ? await reserved : reserved
      await hold.admitted
      // Stands for the upstream's turn.
      await new Promise(setImmediate)
      await hold.settleSoon(benchSettlement, isLogged ? benchRecords(request) : [])
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  await ledger.shipped()
}
