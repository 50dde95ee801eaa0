import { findImbalances } from '../../src/ledger/conservation.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import type { Simulation } from './simulation.ts'

/** Which invariants do not hold at the end, when everything has come to rest. */
export async function findViolations(simulation: Simulation): Promise<string[]> {
  const { engine, requests, disks, terms } = simulation
  const found: string[] = []
  if (simulation.imbalance) found.push(`L1 on the way: ${show(simulation.imbalance)}`)
  const wrong = await findImbalances(engine)
  if (wrong.length > 0) found.push(`L1: ${show(wrong)}`)
  const leases = await engine.db.selectFrom('lease').selectAll().execute()
  if (leases.length > 0) found.push(`L6: leases are left: ${show(leases)}`)
  const files = disks.flatMap((disk) => disk.names)
  if (files.length > 0) found.push(`L6: journals are left: ${show(files)}`)
  const entries = await engine.db.selectFrom('entry').selectAll().execute()
  const costs = new Map(entries.map((entry) => [entry.request_id, entry.cost_nano]))
  for (const request of requests) {
    const costNano = costs.get(request.requestId)
    const { isAdmitted, isAnswered, recoveryNano } = request
    // Only what waits for the disk outlives a loss of power before the database has it.
    const mayBeLost =
      wasTakenOver(request.process) ||
      (terms.hasPowerLoss && terms.durability === 'database' && !isAnswered)
    if (isAdmitted && costNano === undefined && !mayBeLost) found.push(`L2: ${request.requestId}`)
    if (isAnswered && costNano !== request.costNano && !wasTakenOver(request.process)) {
      found.push(`L7: ${request.requestId} costs ${costNano}, not ${request.costNano}`)
    }
    const possible = [undefined, recoveryNano, request.costNano]
    if (!possible.includes(costNano)) found.push(`L2: ${request.requestId} costs ${costNano}`)
  }
  const taken = new Set(
    requests.filter(({ process }) => wasTakenOver(process)).map((r) => r.requestId),
  )
  const spent = (isCounted: (entry: (typeof entries)[number]) => boolean): bigint =>
    entries.filter(isCounted).reduce((sum, entry) => sum + entry.cost_nano, 0n)
  // A process that lives on after its identity was taken spends, for a moment, what is no longer its own.
  const excused = (entry: { request_id: string }): boolean => taken.has(entry.request_id)
  if (spent((entry) => !excused(entry)) > terms.creditNano) found.push('L4: the account')
  const ofKey = spent((entry) => entry.key_id === 'limited' && !excused(entry))
  if (terms.quotaNano !== undefined && ofKey > terms.quotaNano) found.push('L4: the key')
  if (taken.size === 0 && spent(() => true) > terms.creditNano)
    found.push('L4: the account, in all')
  if (simulation.takenForDead > 0) found.push('a living process was taken for dead')
  return found
}

/**
 * Two processes with one name are a mistake of whoever runs them. The books stay right, but what the elder admits
 * after the younger has read its journal, and before it hears of it, is lost when it is killed in between.
 */
function wasTakenOver(process: SimulatedProcess): boolean {
  return process.isTakenOver || process.isFenced
}

function show(value: unknown): string {
  return JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each))
}
