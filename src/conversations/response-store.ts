import { turns } from '../core/runtime/turns.ts'
import type { Writing } from '../store/changes/write.ts'
import type { Engine } from '../store/engine.ts'
import type { Vault } from '../store/secrets/vault.ts'
import { isObject, parseJson, stringAt } from '../wire/json.ts'

export const sealPurpose = 'stored response'

/** Limit of writes in progress. Beyond it a response is not stored, and its id will not be found. */
const pendingMax = 1_000
const pendingCharactersMax = 64 * 1024 * 1024
const sweepRows = 1_000
/** Longer content is sealed and opened over several turns of the event loop. */
const longCharacters = 256 * 1024
const pieceCharacters = 256 * 1024

/** A response that a later request may refer to by its id, only with the key that created it. */
export interface StoredResponse {
  readonly id: string
  readonly keyId: string
  /** Whether the key belonged to a user when the request arrived; absent: it was a service key. */
  readonly isOfUser?: boolean
  readonly model: string
  /** The upstream that stores the response; undefined when the content is stored here. */
  readonly upstreamId: string | undefined
  /** The name of the credential that created the response; undefined also when it was not recorded. */
  readonly credentialName: string | undefined
  readonly content: StoredContent | undefined
  /** Input and output tokens of the turn, as the upstream reported them; undefined when unknown. */
  readonly turnTokens: number | undefined
}

export interface StoredContent {
  /** JSON: the response object as it was sent. */
  readonly response: string
  /** JSON: the items that the next turn starts with, including those of this answer. */
  readonly items: string
}

export interface ResponseStoreDeps {
  readonly engine: Engine
  readonly vault: Vault
  readonly nowMs: () => number
  readonly retentionMs: number
  onError(error: unknown): void
}

/** A response whose write to the database is in progress. */
interface Pending {
  readonly stored: StoredResponse
  readonly expiresAtMs: number
  readonly written: Promise<void>
}

/** Responses of the last days. They contain what people wrote, so they are encrypted, and they expire. */
export class ResponseStore {
  readonly #deps: ResponseStoreDeps
  readonly #pending = new Map<string, Pending>()
  #pendingCharacters = 0

  constructor(deps: ResponseStoreDeps) {
    this.#deps = deps
  }

  /**
   * Makes the response available at once and writes it in the background. False when there is no room at the moment.
   */
  keep(stored: StoredResponse): boolean {
    const characters = sizeOf(stored)
    const isFull =
      this.#pending.size >= pendingMax ||
      this.#pendingCharacters + characters > pendingCharactersMax
    if (isFull || this.#deps.retentionMs === 0) return false
    this.#pendingCharacters += characters
    const nowMs = this.#deps.nowMs()
    const expiresAtMs = nowMs + this.#deps.retentionMs
    const written = this.#write(stored, nowMs, expiresAtMs)
      .catch((error: unknown) => this.#deps.onError(error))
      .finally(() => {
        this.#pending.delete(stored.id)
        this.#pendingCharacters -= characters
      })
    this.#pending.set(stored.id, { stored, expiresAtMs, written })
    return true
  }

  async find(keyId: string, id: string): Promise<StoredResponse | undefined> {
    const pending = this.#pending.get(id)
    if (pending) {
      const isTheirs = pending.stored.keyId === keyId && pending.expiresAtMs > this.#deps.nowMs()
      return isTheirs ? pending.stored : undefined
    }
    const row = await this.#deps.engine.db
      .selectFrom('stored_response')
      .selectAll()
      .where('id', '=', id)
      .where('key_id', '=', keyId)
      .where('expires_at', '>', this.#deps.nowMs())
      .executeTakeFirst()
    if (!row) return undefined
    return {
      id,
      keyId,
      model: row.model,
      upstreamId: row.upstream_id ?? undefined,
      credentialName: row.credential_name ?? undefined,
      content: row.content_sealed === null ? undefined : await this.#open(row.content_sealed),
      turnTokens: row.turn_tokens ?? undefined,
    }
  }

  async remove(keyId: string, id: string): Promise<boolean> {
    await this.#pending.get(id)?.written
    const result = await this.#deps.engine.db
      .deleteFrom('stored_response')
      .where('id', '=', id)
      .where('key_id', '=', keyId)
      .executeTakeFirst()
    return result.numDeletedRows > 0n
  }

  /** Deletes expired responses, a bounded number of rows at a time. */
  async sweep(): Promise<number> {
    const { db } = this.#deps.engine
    const old = db
      .selectFrom('stored_response')
      .select('id')
      .where('expires_at', '<=', this.#deps.nowMs())
      .limit(sweepRows)
    const result = await db.deleteFrom('stored_response').where('id', 'in', old).executeTakeFirst()
    return Number(result.numDeletedRows)
  }

  /** Resolves when everything kept so far is written. */
  async written(): Promise<void> {
    await Promise.all([...this.#pending.values()].map(({ written }) => written))
  }

  async #write(stored: StoredResponse, nowMs: number, expiresAtMs: number): Promise<void> {
    await this.#deps.engine.db
      .insertInto('stored_response')
      .values({
        id: stored.id,
        key_id: stored.keyId,
        model: stored.model,
        upstream_id: stored.upstreamId ?? null,
        credential_name: stored.credentialName ?? null,
        content_sealed: stored.content ? await this.#seal(stored.content) : null,
        turn_tokens: stored.turnTokens ?? null,
        created_at: nowMs,
        expires_at: expiresAtMs,
      })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute()
    if (stored.isOfUser) await this.#dropOfFormerOwner(stored)
  }

  /** The key may have become a service key during the request: `deleteResponses` has not seen this response. */
  async #dropOfFormerOwner({ id, keyId }: StoredResponse): Promise<void> {
    const { db } = this.#deps.engine
    const converted = db.selectFrom('former_key_owner').select('key_id').where('key_id', '=', keyId)
    await db
      .deleteFrom('stored_response')
      .where('id', '=', id)
      .where('key_id', 'in', converted)
      .execute()
  }

  #seal(content: StoredContent): string | Promise<string> {
    const { vault } = this.#deps
    return content.response.length + content.items.length > longCharacters
      ? vault.sealSlowly(jsonPieces(content), sealPurpose)
      : vault.seal(JSON.stringify(content), sealPurpose)
  }

  async #open(sealed: string): Promise<StoredContent | undefined> {
    const { vault } = this.#deps
    const isLong = sealed.length > longCharacters
    const text = isLong
      ? await vault.openSlowly(sealed, sealPurpose)
      : vault.open(sealed, sealPurpose)
    if (isLong) await turns.next()
    const value = parseJson(text)
    if (!isObject(value)) return undefined
    return {
      response: stringAt(value, 'response') ?? '{}',
      items: stringAt(value, 'items') ?? '[]',
    }
  }
}

/** The output of `JSON.stringify`, in pieces. */
function* jsonPieces({ response, items }: StoredContent): Generator<string> {
  yield '{"response":"'
  yield* stringPieces(response)
  yield '","items":"'
  yield* stringPieces(items)
  yield '"}'
}

/** Deletes the stored responses of a key whose next holder must not read them. */
export async function deleteResponses({ tx }: Writing, keyId: string): Promise<void> {
  await tx.deleteFrom('stored_response').where('key_id', '=', keyId).execute()
}

function* stringPieces(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = isSplitAt(text, at + pieceCharacters)
      ? at + pieceCharacters - 1
      : at + pieceCharacters
    yield JSON.stringify(text.slice(at, end)).slice(1, -1)
    at = end
  }
}

/** Whether a surrogate pair would be cut in the middle. */
function isSplitAt(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1)
  return at < text.length && before >= 0xd800 && before <= 0xdbff
}

function sizeOf({ content }: StoredResponse): number {
  return content ? content.response.length + content.items.length : 0
}
