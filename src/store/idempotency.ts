import { createHash } from 'node:crypto'
import { canonicalJson } from '../wire/canonical-json.ts'
import type { Engine } from './engine.ts'
import type { Writing } from './write.ts'

/** A repeated request is recognised for so long. */
export const idempotencyKeptMs = 24 * 60 * 60_000
/** Keys that one caller may have at a time. More are refused: to forget one early could move money twice. */
export const idempotencyKeysMax = 50_000
/** The longest answer that is kept. */
export const idempotencyBodyCharactersMax = 256 * 1024
const sweepRows = 1_000

/** A request that must be carried out once, however often it is sent. */
export interface IdempotentRequest {
  /** Who asks, as an actor of the audit log: keys of others are others. */
  readonly caller: string
  readonly key: string
  readonly requestHash: string
}

/** What a request was answered with; `body` is JSON text. */
export interface StoredAnswer {
  readonly status: number
  readonly body: string
  /** The request was carried out before, and this is what it was answered then. */
  readonly isReplayed: boolean
}

export class IdempotencyProblem extends Error {
  override readonly name = 'IdempotencyProblem'
  /** `reused`: the key came with another request before. `full`: the caller has too many keys. */
  readonly problem: 'reused' | 'full'

  constructor(problem: 'reused' | 'full') {
    super(`the idempotency key cannot be taken: ${problem}`)
    this.problem = problem
  }
}

export const idempotencyKeyCharactersMax = 255
/** Printable characters. */
export const idempotencyKeyPattern = new RegExp(`^[!-~]{1,${idempotencyKeyCharactersMax}}$`)

/** As the header has it; undefined for anything else. */
export function readIdempotencyKey(text: string): string | undefined {
  return idempotencyKeyPattern.test(text) ? text : undefined
}

/** Two requests are the same when method, path with its query, and the meaning of the body are. */
export function hashOfRequest(request: {
  readonly method: string
  readonly path: string
  readonly body: unknown
}): string {
  const text = canonicalJson([request.method, request.path, request.body])
  return createHash('sha256').update(text).digest('base64url')
}

/**
 * Carries a change out once. The key is claimed before `work` runs and its answer is kept after, all in the transaction
 * of the change: either both are there or neither is. Of several at once, the others wait for the first and get its
 * answer. A change that is refused rolls the claim back, so the same request can be sent again. Throws
 * `IdempotencyProblem`. Without a key, `work` simply runs.
 */
export async function withIdempotency(
  { tx }: Writing,
  request: IdempotentRequest | undefined,
  nowMs: number,
  work: () => Promise<{ readonly status: number; readonly body: unknown }>,
): Promise<StoredAnswer> {
  if (!request) return answerOf(await work())
  const { caller, key, requestHash } = request
  const earlier = await claim(tx, request, nowMs)
  if (earlier) {
    if (earlier.request_hash !== requestHash) throw new IdempotencyProblem('reused')
    return { status: earlier.status, body: earlier.body, isReplayed: true }
  }
  const answer = answerOf(await work())
  if (answer.body.length > idempotencyBodyCharactersMax) {
    throw new Error('the answer is longer than an idempotency key may keep')
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

/** Takes the key for this transaction; answers the row of who had it before. */
async function claim(tx: Writing['tx'], request: IdempotentRequest, nowMs: number) {
  const { caller, key, requestHash: request_hash } = request
  const claimed = await tx
    .insertInto('admin_idempotency')
    .values({ caller, key, request_hash, status: 0, body: '', at: nowMs })
    // What is too old to count, and not swept yet, is taken over.
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

/** Deletes keys that count no more, a bounded number at once; answers how many. */
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
