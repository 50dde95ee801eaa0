import { closeSync, fdatasync, openSync, writeSync } from 'node:fs'
import { promisify } from 'node:util'
import { median } from '../median.ts'
import { benchHoldRequest, benchRecords, benchSettlement } from './bench-requests.ts'
import type { BenchLedger } from './drive.ts'
import type { WaitFigures } from './ledger-case.ts'

const requests = 1_000
const warmUp = 1_000
const lineBytes = 600
const syncData = promisify(fdatasync)

/** Runs one request after the other, and after each writes a line of the same size to the same disk. */
export async function measureWait(ledger: BenchLedger, folder: string): Promise<WaitFigures> {
  const file = openSync(`${folder}/beside`, 'a')
  const waits: number[] = []
  const syncs: number[] = []
  for (let number = 0; number < warmUp + requests; number += 1) {
    const waitMs = await ask(ledger)
    const syncMs = await syncLine(file)
    if (number < warmUp) continue
    waits.push(waitMs)
    syncs.push(syncMs)
  }
  closeSync(file)
  await ledger.shipped()
  return { waitMs: median(waits), syncMs: median(syncs) }
}

async function ask(ledger: BenchLedger): Promise<number> {
  const request = benchHoldRequest(0)
  const beganMs = performance.now()
  const hold = await ledger.reserve(request)
  await hold.admitted
  const admittedMs = performance.now()
  // Stands for the upstream's turn.
  await new Promise(setImmediate)
  const answeredMs = performance.now()
  await hold.settleSoon(benchSettlement, benchRecords(request))
  return admittedMs - beganMs + (performance.now() - answeredMs)
}

async function syncLine(file: number): Promise<number> {
  const beganMs = performance.now()
  writeSync(file, Buffer.alloc(lineBytes, 'x'))
  await syncData(file)
  return performance.now() - beganMs
}
