import { createHash } from 'node:crypto'
import { canonicalJson } from '../../wire/canonical-json.ts'
import type { Engine } from '../engine.ts'
import type { Writing } from './write.ts'

/** How long a repeated request is recognised. */
export const idempotencyKeptMs = 24 * 60 * 60_000
/** Maximum number of keys of one caller. More are refused, because forgetting a key early could move money twice. */
export const idempotencyKeysMax = 50_000
/** The longest answer that is stored. */
export const idempotencyBodyCharactersMax = 256 * 1024
const sweepRows = 1_000

/** A request that must be executed once, however often it is sent. */
export interface IdempotentRequest {
  /** The caller, as an actor of the audit log. Each caller has its own keys. */
  readonly caller: string
  readonly key: string
  readonly requestHash: string
  /** The hashes of requests that mean the same. */
  readonly equalHashes?: readonly string[]
}

/** The answer to a request; `body` is JSON text. */
export interface StoredAnswer {
  readonly status: number
  readonly body: string
  /** The request was executed earlier, and this is its stored answer. */
  readonly isReplayed: boolean
}

export class IdempotencyProblem extends Error {
  override readonly name = 'IdempotencyProblem'
  /** `reused`: the key was used with another request. `full`: the caller has too many keys. */
  readonly problem: 'reused' | 'full'

  constructor(problem: 'reused' | 'full') {
    super(`the idempotency key cannot be used: ${problem}`)
    this.problem = problem
  }
}

export const idempotencyKeyCharactersMax = 255
/** Printable ASCII characters without spaces. */
export const idempotencyKeyPattern = new RegExp(`^[!-~]{1,${idempotencyKeyCharactersMax}}$`)

/** The value of the header; undefined when it is invalid. */
export function readIdempotencyKey(text: string): string | undefined {
  return idempotencyKeyPattern.test(text) ? text : undefined
}

/** Two requests are equal when their methods, their paths with query, and the meanings of their bodies are equal. */
export function hashOfRequest(request: {
  readonly method: string
  readonly path: string
  readonly body: unknown
}): string {
  const text = canonicalJson([request.method, request.path, request.body])
  return createHash('sha256').update(text).digest('base64url')
}

/**
 * Executes a change once. The key is claimed before `work` runs and the answer is stored after it, all in the
 * transaction of the change: either all of it is committed or nothing. Concurrent requests with the same key wait for
 * the first one and get its answer. A refused change rolls the claim back, so the same request can be sent again.
 * Throws `IdempotencyProblem`. Without a key, `work` just runs.
 */
export async function withIdempotency(
  { tx }: Writing,
  request: IdempotentRequest | undefined,
  nowMs: number,
  work: () => Promise<{ readonly status: number; readonly body: unknown }>,
): Promise<StoredAnswer> {
  if (!request) return answerOf(await work())
  const { caller, key, requestHash, equalHashes = [] } = request
  const earlier = await claim(tx, request, nowMs)
  if (earlier) {
    const { request_hash: earlierHash } = earlier
    if (earlierHash !== requestHash && !equalHashes.includes(earlierHash))
      throw new IdempotencyProblem('reused')
    return { status: earlier.status, body: earlier.body, isReplayed: true }
  }
  const answer = answerOf(await work())
  if (answer.body.length > idempotencyBodyCharactersMax) {
    throw new Error('the response is too long to be stored with an idempotency key')
  }
  await tx
    .updateTable('admin_idempotency')
    .set({ status: answer.status, body: answer.body })
    .where('caller', '=', caller)
    .where('key', '=', key)
    .execute()
  return answer
}

function answerOf({ status, body }: { status: number; body: unknown }): StoredAnswer {
  return { status, body: JSON.stringify(body), isReplayed: false }
}

/** Claims the key in this transaction; returns the existing row if there is one. */
async function claim(tx: Writing['tx'], request: IdempotentRequest, nowMs: number) {
  const { caller, key, requestHash: request_hash } = request
  const claimed = await tx
    .insertInto('admin_idempotency')
    .values({ caller, key, request_hash, status: 0, body: '', at: nowMs })
    // Replaces an expired row that the sweep has not deleted yet.
    .onConflict((conflict) =>
      conflict
        .columns(['caller', 'key'])
        .doUpdateSet({ request_hash, status: 0, body: '', at: nowMs })
        .where('admin_idempotency.at', '<=', nowMs - idempotencyKeptMs),
    )
    .executeTakeFirst()
  if ((claimed.numInsertedOrUpdatedRows ?? 0n) > 0n) {
    await refuseTooMany(tx, caller)
    return undefined
  }
  return tx
    .selectFrom('admin_idempotency')
    .select(['request_hash', 'status', 'body'])
    .where('caller', '=', caller)
    .where('key', '=', key)
    .executeTakeFirstOrThrow()
}

async function refuseTooMany(tx: Writing['tx'], caller: string): Promise<void> {
  const surplus = await tx
    .selectFrom('admin_idempotency')
    .select('key')
    .where('caller', '=', caller)
    .orderBy('key')
    .offset(idempotencyKeysMax)
    .limit(1)
    .executeTakeFirst()
  if (surplus) throw new IdempotencyProblem('full')
}

/** Deletes expired keys, a bounded number at a time; returns how many. */
export async function sweepIdempotency(
  { db }: Pick<Engine, 'db'>,
  nowMs: number,
  rowsMax = sweepRows,
): Promise<number> {
  const last = await db
    .selectFrom('admin_idempotency')
    .select('at')
    .where('at', '<=', nowMs - idempotencyKeptMs)
    .orderBy('at')
    .offset(rowsMax - 1)
    .limit(1)
    .executeTakeFirst()
  const result = await db
    .deleteFrom('admin_idempotency')
    .where('at', '<=', last?.at ?? nowMs - idempotencyKeptMs)
    .executeTakeFirst()
  return Number(result.numDeletedRows)
}
