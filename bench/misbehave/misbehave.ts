// Runs well-behaved clients beside a very large number of misbehaving connections: no request of these clients may
// fail.
import { rmSync } from 'node:fs'
import { stopAllChildren } from '../children.ts'
import { key, modelOf, startWatchedGateway, type Watched } from './watched-gateway.ts'

const clients = 50
const requestMsMax = 30_000
const pauseMs = 20

interface Crowd {
  readonly opened: number
  readonly closedByGateway: number
  readonly refused: number
  readonly most: number
  readonly manners: number
}

interface Tally {
  readonly tookMs: number[]
  readonly failures: string[]
}

async function behave(url: string, tally: Tally, isOver: () => boolean): Promise<void> {
  const body = JSON.stringify({
    model: modelOf('chat-completions'),
    max_tokens: 50,
    messages: [{ role: 'user', content: 'Good morning' }],
  })
  while (!isOver()) {
    const startedAt = performance.now()
    try {
      const reply = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body,
        signal: AbortSignal.timeout(requestMsMax),
      })
      const text = await reply.text()
      if (reply.status !== 200 || !text.includes('Hello'))
        tally.failures.push(`${reply.status} ${text}`)
    } catch (error) {
      tally.failures.push(String(error))
    }
    tally.tookMs.push(performance.now() - startedAt)
    await Bun.sleep(pauseMs)
  }
}

/** Prints the figures; returns 1 when a request of a well-behaved client failed. */
export async function runMisbehave(
  entry: string,
  connections: number,
  seconds: number,
): Promise<number> {
  const gateway = await startWatchedGateway(entry)
  try {
    const quiet = await serve(gateway.url, 5)
    const before = await gateway.watch()
    print('alone', quiet, before)
    const crowd = Bun.spawn(
      [
        process.execPath,
        `${import.meta.dir}/crowd.ts`,
        new URL(gateway.url).port,
        String(connections),
        key,
      ],
      { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' },
    )
    const crowded = await serve(gateway.url, seconds)
    const during = await gateway.watch()
    await crowd.stdin.end()
    const told = (await new Response(crowd.stdout).json()) as Crowd
    print(`beside ${connections} misbehaving connections of ${told.manners} kinds`, crowded, during)
    process.stdout.write(
      `misbehaving: ${told.most} at once, ${told.opened} opened in all, ${told.closedByGateway} closed, ${told.refused} not accepted\n`,
    )
    await Bun.sleep(3_000)
    await gateway.watch()
    const after = await serve(gateway.url, 5)
    print('afterwards', after, await gateway.watch())
    for (const [why, times] of gateway.troubles()) {
      process.stdout.write(`${times} times: ${why}\n`)
    }
    return crowded.failures.length + after.failures.length > 0 ? 1 : 0
  } finally {
    await stopAllChildren()
    rmSync(gateway.folder, { recursive: true, force: true })
  }
}

async function serve(url: string, seconds: number): Promise<Tally> {
  const tally: Tally = { tookMs: [], failures: [] }
  const endsAt = performance.now() + seconds * 1_000
  const isOver = () => performance.now() > endsAt
  await Promise.all(Array.from({ length: clients }, () => behave(url, tally, isOver)))
  return tally
}

function print(when: string, { tookMs, failures }: Tally, watched: Watched): void {
  const sorted = tookMs.toSorted((left, right) => left - right)
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]?.toFixed(1) ?? '-'
  process.stdout.write(
    `${when}: ${sorted.length} requests of ${clients} clients, ${failures.length} failed, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms, event loop kept at most ${watched.longestMs.toFixed(1)} ms (${watched.longestCpuMs.toFixed(1)} ms of work), ${watched.residentMegabytes.toFixed(0)} MB\n`,
  )
  for (const failure of failures.slice(0, 5)) process.stdout.write(`  ${failure.slice(0, 200)}\n`)
}
