import { setTimeout as pause } from 'node:timers/promises'
import { patience } from '../support/patience.ts'
import type { Workspace } from '../support/process/workspace.ts'
import { type Callers, startCallers } from './callers.ts'
import { type ChaosLedger, journalFiles, readChaosLedger } from './chaos-ledger.ts'
import { between, oneOf, type Random } from './chaos-seed.ts'
import { chaosKey } from './chaos-shop.ts'
import type { startChaosUpstream } from './chaos-upstream.ts'
import { compareLedger, type Verdict } from './compare-ledger.ts'
import { type DeadlyCall, type GatewayLife, startLife } from './gateway-life.ts'

/** Two accounts with enough credit, and one whose keys and credit are exhausted repeatedly. */
const smallKeys = Array.from({ length: 24 }, (_, index) => chaosKey(`d${index}`, 'dime', 0.01))
const keySets = [
  [chaosKey('a1', 'acme')],
  [chaosKey('a2', 'acme', 500)],
  [chaosKey('b1', 'bolt')],
  smallKeys,
]
export const killShop = {
  accounts: [
    { id: 'acme', creditDollars: 2_000 },
    { id: 'bolt', creditDollars: 1_000 },
    { id: 'dime', creditDollars: 0.15 },
  ],
  keys: keySets.flat(),
}

const callersCount = 24
const lookEvery = 5
/**
 * Some lives are killed at once, some later. The delay is a number of answers, so that it does not depend on the speed
 * of the machine.
 */
const answersMax = 90
const patienceMs = patience(3_000)

export interface KillPlan {
  readonly workspace: Workspace
  readonly databaseUrl: string
  readonly upstream: ReturnType<typeof startChaosUpstream>
  readonly kills: number
  readonly random: Random
  /** The system call that kills the next life; undefined for a kill by the test. */
  deadlyCall?(random: Random): DeadlyCall
}

export interface KillReport {
  readonly kills: number
  /** The number of these that a system call killed, and the number that died before the gateway was ready. */
  readonly byCall: number
  readonly atStart: number
  readonly sent: number
  readonly whole: number
  readonly recovered: number
  readonly refused: number
  readonly entries: number
  readonly verdict: Verdict
  /** Leases that are left after a clean stop. */
  readonly leasesLeft: number
  readonly journalsLeft: readonly string[]
}

/** Kills one gateway after the other on the same data, under load, and then stops the last one cleanly. */
export async function killAgainAndAgain(plan: KillPlan): Promise<KillReport> {
  const { workspace, databaseUrl, random } = plan
  const callers = startCallers({ count: callersCount, keySets, random, leavesOneIn: 20 })
  const counts = { byCall: 0, atStart: 0 }
  try {
    for (let kill = 1; kill <= plan.kills; kill += 1) {
      await liveAndDie(plan, callers, counts)
      // The ledger balances at every moment, also before recovery.
      if (kill % lookEvery === 0) expectBalanced(await readChaosLedger(databaseUrl), kill)
    }
    const last = await startLife(workspace, flagsOf(random))
    callers.turnTo(await readyUrl(last))
    await answersMore(callers, callersCount)
    callers.turnTo(undefined)
    await callers.stop()
    last.signal('SIGTERM')
    const code = await last.exited
    if (code !== 0) throw new Error(`the last stop was not clean (${code}): ${last.stderr()}`)
  } finally {
    callers.turnTo(undefined)
    await callers.stop()
  }
  const ledger = await readChaosLedger(databaseUrl)
  const { seen } = callers
  return {
    kills: plan.kills,
    ...counts,
    sent: seen.sent,
    whole: seen.whole.size,
    recovered: [...ledger.entries.values()].filter(({ source }) => source === 'recovered').length,
    refused: seen.refused.size,
    entries: ledger.entries.size,
    verdict: compareLedger(ledger, seen, plan.upstream.asked),
    leasesLeft: ledger.leases,
    journalsLeft: journalFiles(workspace.path('data')),
  }
}

function flagsOf(random: Random): string[] {
  const durability = oneOf(random, ['journal', 'journal', 'fsync', 'database'])
  return ['--replica', 'node-a', '--durability', durability]
}

async function liveAndDie(
  { workspace, random, deadlyCall }: KillPlan,
  callers: Callers,
  counts: { byCall: number; atStart: number },
): Promise<void> {
  const deadly = deadlyCall?.(random)
  const life = await startLife(workspace, flagsOf(random), { deadly })
  const url = await life.ready
  if (url === undefined) {
    await expectKilled(life)
    counts.atStart += 1
    counts.byCall += 1
    return
  }
  callers.turnTo(url)
  const dead = life.exited.then(() => true)
  // On a busy machine many answers share one system call, so a gateway that is killed by a call gets more time.
  const answers = between(random, 0, answersMax) + (deadly ? answersMax * 3 : 0)
  const enough = answersMore(callers, answers).then(() => false)
  const isOver = await Promise.race([dead, enough])
  if (isOver) counts.byCall += 1
  life.signal('SIGKILL')
  await expectKilled(life)
  callers.turnTo(undefined)
}

async function expectKilled(life: GatewayLife): Promise<void> {
  const code = await life.exited
  if (!life.isKilled()) throw new Error(`it ended by itself (${code}): ${life.stderr()}`)
}

async function readyUrl(life: GatewayLife): Promise<string> {
  const url = await life.ready
  if (url === undefined) throw new Error(`it did not start: ${life.stderr()}`)
  return url
}

async function answersMore({ seen }: Callers, count: number): Promise<void> {
  const wanted = seen.whole.size + count
  const endMs = performance.now() + patienceMs
  while (seen.whole.size < wanted && performance.now() < endMs) await pause(1)
}

function expectBalanced({ imbalances }: ChaosLedger, kill: number): void {
  if (imbalances.length === 0) return
  const shown = imbalances.map(({ kind, id, differenceNano }) => `${kind} ${id} ${differenceNano}`)
  throw new Error(`after kill ${kill} money is not conserved: ${shown.join(', ')}`)
}
