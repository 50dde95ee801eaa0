import { freshDatabase } from '../support/postgres/fresh-database.ts'
import { makeWorkspace } from '../support/process/workspace.ts'
import { repeats } from '../support/repeats.ts'
import { openCall, type RawReply } from './ask-raw.ts'
import {
  type ChaosShop,
  chaosConfig,
  inputNano,
  numberedBody,
  outputNano,
  outputTokensMax,
} from './chaos-shop.ts'
import { type GatewayLife, startLife } from './gateway-life.ts'

/** `npm run test:long` sends 500. */
export const requests = Math.min(repeats(300), 500)
const framingTokens = 512
export const nanoPerDollar = 1_000_000_000
export const body = JSON.stringify(numberedBody(1, false))

/** The upstream reports the maximum usage of a request, so every hold is used up to the last nano. */
export const usage = {
  prompt_tokens: body.length + framingTokens,
  completion_tokens: outputTokensMax,
  total_tokens: body.length + framingTokens + outputTokensMax,
}
export const costNano =
  BigInt(usage.prompt_tokens) * inputNano + BigInt(usage.completion_tokens) * outputNano

const drops: (() => Promise<void>)[] = []

/** Call after the last race of a file. */
export async function dropRaceDatabases(): Promise<void> {
  for (const drop of drops.splice(0)) await drop()
}

interface Line {
  readonly processes: number
  readonly isPostgres: boolean
  /** Settings of the processes. */
  readonly settings?: object
  /** Runs before the processes start. */
  prepare?(databaseUrl: string): Promise<void>
  /** The URL that the processes use; absent: that of the database itself. */
  through?(databaseUrl: string): string
}

/**
 * Running processes, and open connections of their callers. A gateway closes a connection that sends nothing for some
 * seconds.
 */
export async function line(race: Line, shop: ChaosShop, upstreamUrl: string, text: string) {
  const database = race.isPostgres ? await freshDatabase() : undefined
  if (database) {
    drops.push(() => database.drop())
    await race.prepare?.(database.url)
  }
  const reached = database && (race.through?.(database.url) ?? database.url)
  const config = { ...chaosConfig(shop, upstreamUrl, reached), ...race.settings }
  const workspace = makeWorkspace(config)
  const lives = await Promise.all(
    Array.from({ length: race.processes }, (_, index) =>
      startLife(workspace, ['--replica', `node-${index}`], { isPatient: true }),
    ),
  )
  const urls = await Promise.all(lives.map(servingUrl))
  const open = (index: number, keys = shop.keys, sent = text) =>
    openCall(urls[index % urls.length] as string, keys[index % keys.length]?.value ?? '', sent)
  const openAll = (keys = shop.keys, sent = text) =>
    Promise.all(Array.from({ length: requests }, (_, index) => open(index, keys, sent)))
  const databaseUrl = database?.url ?? `sqlite://${workspace.path('data/tollgate.db')}`
  return { lives, open, openAll, workspace, databaseUrl }
}

/** The error contains the log of a process that died. */
async function servingUrl(life: GatewayLife): Promise<string> {
  const url = await life.ready
  if (url === undefined)
    throw new Error(`a process ended with ${await life.exited} before it served: ${life.stderr()}`)
  return url
}

const shortOfMoney =
  /"code":"(insufficient_credit|key_quota_exhausted|member_budget_exhausted|account_budget_exhausted|quota_in_flight)"/

/** Replies that are neither an answer nor a refusal for lack of money. */
export function oddReplies(replies: readonly RawReply[]): RawReply[] {
  return replies.filter(({ status, text }) => status !== 200 && !shortOfMoney.test(text))
}
