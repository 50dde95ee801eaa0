import { expect, test } from 'bun:test'
import { startCallers } from '../chaos/callers.ts'
import { journalFiles, readChaosLedger } from '../chaos/chaos-ledger.ts'
import { chaosSeed, seededRandom } from '../chaos/chaos-seed.ts'
import { chaosConfig, chaosKey } from '../chaos/chaos-shop.ts'
import { startChaosUpstream } from '../chaos/chaos-upstream.ts'
import { cleanVerdict, compareLedger } from '../chaos/compare-ledger.ts'
import { endLivesAfterwards, startLife } from '../chaos/gateway-life.ts'
import { eventually } from '../support/eventually.ts'
import { patience } from '../support/patience.ts'
import { makeWorkspace } from '../support/process/workspace.ts'
import { repeats } from '../support/repeats.ts'

endLivesAfterwards()

const callersCount = 24
const warmAnswers = 600
const laps = repeats(3)
const answersPerLap = 500
/** The memory that a pending garbage collection may leave. A leak of a kilobyte per request shows in a long run. */
const growthBytesMax = 64 * 1024 * 1024
const part = 31

const shop = {
  accounts: [{ id: 'acme', creditDollars: 100_000 }],
  keys: [chaosKey('a1', 'acme'), chaosKey('a2', 'acme', 50_000)],
}

test(
  `after ${laps} rounds of requests no memory has leaked, no hold is open and every charge is accounted for`,
  async () => {
    const upstream = startChaosUpstream()
    const workspace = makeWorkspace(chaosConfig(shop, upstream.url))
    const life = await startLife(workspace, ['--replica', 'node-a'])
    const url = (await life.ready) ?? ''
    const callers = startCallers({
      count: callersCount,
      keySets: shop.keys.map((key) => [key]),
      random: seededRandom(part),
      leavesOneIn: 20,
    })
    const { seen } = callers
    const answers = (count: number) => {
      const wanted = seen.whole.size + count
      return eventually(`${count} more answers`, () => seen.whole.size >= wanted)
    }
    callers.turnTo(url)
    await answers(warmAnswers)
    const warmBytes = await readGauge(url, 'process_resident_memory_bytes')
    for (let lap = 0; lap < laps; lap += 1) await answers(answersPerLap)
    const grownBytes = (await readGauge(url, 'process_resident_memory_bytes')) - warmBytes
    callers.turnTo(undefined)
    await callers.stop()
    await eventually(
      'no hold is left',
      async () => (await readGauge(url, 'tollgate_open_holds')) === 0,
    )
    life.signal('SIGTERM')
    expect(await life.exited).toBe(0)
    await upstream.stop()

    process.stdout.write(
      `FIGURES: soak: ${seen.whole.size} whole answers, memory ${signed(grownBytes)} MB after the first ${warmAnswers}, seed ${chaosSeed}\n`,
    )
    const ledger = await readChaosLedger(`sqlite://${workspace.path('data/tollgate.db')}`)
    expect(compareLedger(ledger, seen, upstream.asked)).toEqual(cleanVerdict)
    expect(ledger.leases).toBe(0)
    expect(journalFiles(workspace.path('data'))).toEqual([])
    expect(grownBytes).toBeLessThan(growthBytesMax)
  },
  patience(60_000) + repeats(30_000),
)

async function readGauge(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const value = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1]
  if (value === undefined) throw new Error(`there is no metric ${name}`)
  return Number(value)
}

function signed(bytes: number): string {
  const megabytes = (bytes / 1024 / 1024).toFixed(1)
  return bytes < 0 ? megabytes : `+${megabytes}`
}
