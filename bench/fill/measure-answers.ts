import { mintSignInLink } from '../../src/accounts/sign-in-link.ts'
import { csrfHeader, csrfValue } from '../../src/console-api/contract.ts'
import { type Console, createConsole } from '../../src/console-api/create-console.ts'
import { newRequestId, systemRandom } from '../../src/core/id.ts'
import { openKeyDirectory } from '../../src/keys/key-directory.ts'
import type { Engine } from '../../src/store/engine.ts'
import { createVault, type Vault } from '../../src/store/secrets/vault.ts'
import { median } from '../median.ts'
import { listAnswers } from './list-answers.ts'
import { quietPorts } from './quiet-ports.ts'

const laterRounds = 4
const goalMs = 1_000
const usualMs = 100
const origin = 'http://localhost'

interface Measured {
  readonly name: string
  readonly firstMs: number
  readonly laterMs: readonly number[]
}

/**
 * Sends the requests of the console's pages to its back end and prints the times of the first and later answers.
 * Nothing is cached between them. Returns true when every answer, including the first, stays within its limit.
 */
export async function measureAnswers(
  engine: Engine,
  print: (line: string) => void,
): Promise<boolean> {
  const vault = createVault(new Uint8Array(32))
  const parts = { ...engine, db: engine.reportDb }
  const open = (): Console => openConsole({ ...parts }, vault)
  const cookies = {
    operator: await signIn(open(), engine, vault, 'operator'),
    member: await signIn(open(), engine, vault, 'user_0'),
  }
  const all: Measured[] = []
  print(
    `\n${'answer'.padEnd(64)}${'first'.padStart(9)}${'median'.padStart(9)}${'most'.padStart(9)}  ms`,
  )
  const measure = async (name: string, ask: () => Promise<unknown>): Promise<void> => {
    const [firstMs = 0, ...laterMs] = await timesOf(ask, 1 + laterRounds)
    all.push({ name, firstMs, laterMs })
    const figures = [firstMs, median(laterMs), Math.max(...laterMs)]
    print(name.padEnd(64) + figures.map((ms) => ms.toFixed(1).padStart(9)).join(''))
  }
  await measure('at the start: the key directory with its first keys', () =>
    openKeyDirectory(engine, vault),
  )
  for (const { name, as, path } of await listAnswers(engine)) {
    // Each measurement has its own console, so that a cached slow answer cannot make the next one look fast.
    await measure(name, () => readAnswer(open(), path, cookies[as]))
  }
  return judge(all, print)
}

function judge(all: readonly Measured[], print: (line: string) => void): boolean {
  const slowest = Math.max(...all.flatMap(({ firstMs, laterMs }) => [firstMs, ...laterMs]))
  const quick = all.filter(({ laterMs }) => median(laterMs) <= usualMs).length
  const isReached = slowest <= goalMs
  print(
    `${isReached ? 'PASS' : 'FAIL'}  slowest ${slowest.toFixed(0)} ms (at most ${goalMs}); median of ${quick} of ${all.length} at most ${usualMs} ms`,
  )
  return isReached
}

async function timesOf(ask: () => Promise<unknown>, rounds: number): Promise<number[]> {
  const timesMs: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const startedMs = performance.now()
    await ask()
    timesMs.push(performance.now() - startedMs)
  }
  return timesMs
}

function openConsole(engine: Engine, vault: Vault): Console {
  return createConsole({
    engine,
    vault,
    clock: { nowMs: Date.now, monotonicMs: () => performance.now() },
    random: systemRandom,
    assets: { find: () => undefined },
    brand: 'gateway',
    publicUrl: undefined,
    isSecureListen: false,
    gateway: quietPorts,
    showsUpstreamsToMembers: false,
    confirmGrantsFrom: 10_000,
    recording: { isRecordingAllowed: false, recordingAccountBytesMax: 0, recordingRetentionMs: 0 },
    openId: undefined,
    relyingParty: undefined,
    onError: (error) => {
      throw error
    },
  })
}

/** An export is measured up to its first page, all other answers to their end. */
async function readAnswer(console: Console, path: string, cookie: string): Promise<void> {
  const response = await console(
    new Request(`${origin}${path}`, { headers: { cookie } }),
    context(),
  )
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  if (!response.headers.get('content-type')?.startsWith('text/csv')) {
    await response.arrayBuffer()
    return
  }
  const reader = response.body?.getReader()
  await reader?.read()
  await reader?.cancel()
}

async function signIn(
  console: Console,
  engine: Engine,
  vault: Vault,
  userId: string,
): Promise<string> {
  const token = await mintSignInLink(engine, {
    userId,
    vault,
    random: systemRandom,
    nowMs: Date.now(),
  })
  const request = new Request(`${origin}/console/api/sign-in-link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [csrfHeader]: csrfValue },
    body: JSON.stringify({ token }),
  })
  const response = await console(request, context())
  return (response.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
}

function context() {
  return { address: '127.0.0.1', peer: '127.0.0.1', requestId: newRequestId(Date.now()) }
}
