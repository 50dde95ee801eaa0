import { Fault } from '../../core/fault.ts'
import type { ModelListing } from '../../core/neutral/model-listing.ts'
import type { JsonObject } from '../../wire/json.ts'
import type { ModelPage } from '../protocol.ts'

const limitDefault = 20
const limitMax = 1_000
const listed = 'active'

export function encodeModelList({ models, query }: ModelPage): JsonObject {
  const limit = readLimit(query.get('limit'))
  const asked = wantsListed(query) ? models : []
  const { slice, hasMore } = cut(asked, query.get('after_id'), query.get('before_id'), limit)
  return {
    data: slice.map(encodeModel),
    first_id: slice.at(0)?.id ?? null,
    last_id: slice.at(-1)?.id ?? null,
    has_more: hasMore,
  }
}

export function encodeModel(model: ModelListing): JsonObject {
  return {
    type: 'model',
    id: model.id,
    display_name: model.displayName,
    created_at: new Date(model.createdAtMs).toISOString(),
    // A listed model can be used. The gateway has no data about other stages.
    lifecycle: listed,
    deprecated_at: null,
    retires_at: null,
    line: null,
    capabilities: null,
    max_input_tokens: model.contextTokens ?? null,
    max_tokens: model.maxOutputTokens,
  }
}

/** `lifecycle`, once for each stage or with brackets. Without it, every listed model matches. */
function wantsListed(query: URLSearchParams): boolean {
  const stages = [...query.getAll('lifecycle'), ...query.getAll('lifecycle[]')]
  return stages.length === 0 || stages.some((stage) => stage.split(',').includes(listed))
}

function cut(
  models: readonly ModelListing[],
  afterId: string | null,
  beforeId: string | null,
  limit: number,
): { slice: readonly ModelListing[]; hasMore: boolean } {
  if (beforeId !== null) {
    const end = firstAt(models, (id) => id >= beforeId)
    const start = Math.max(0, end - limit)
    return { slice: models.slice(start, end), hasMore: start > 0 }
  }
  const start = afterId === null ? 0 : firstAt(models, (id) => id > afterId)
  return { slice: models.slice(start, start + limit), hasMore: start + limit < models.length }
}

/**
 * Finds a position by id order, not by the id itself, because the model may have been removed since the previous page.
 */
function firstAt(models: readonly ModelListing[], isThere: (id: string) => boolean): number {
  const index = models.findIndex((model) => isThere(model.id))
  return index < 0 ? models.length : index
}

function readLimit(text: string | null): number {
  if (text === null) return limitDefault
  const limit = Number(text)
  if (!Number.isInteger(limit) || limit < 1 || limit > limitMax) {
    throw new Fault(
      'invalid_request',
      `The query parameter "limit" must be a whole number from 1 to ${limitMax}.`,
      { param: 'limit' },
    )
  }
  return limit
}
