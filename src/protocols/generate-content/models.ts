import { Fault } from '../../core/fault.ts'
import type { ModelListing } from '../../core/neutral/model-listing.ts'
import type { JsonObject } from '../../wire/json.ts'
import type { ModelPage } from '../protocol.ts'

const pageSizeDefault = 50
const pageSizeMax = 1_000

/**
 * A page token is the id of the last model of the previous page, so it stays valid when models are added or removed.
 */
export function encodeModelList({ models, query }: ModelPage): JsonObject {
  const size = readPageSize(query.get('pageSize'))
  const token = query.get('pageToken') ?? ''
  const start = token === '' ? 0 : models.findIndex((model) => model.id > token)
  const page = start < 0 ? [] : models.slice(start, start + size)
  const hasMore = start >= 0 && start + size < models.length
  const last = page.at(-1)
  return {
    models: page.map(encodeModel),
    ...(hasMore && last ? { nextPageToken: last.id } : {}),
  }
}

export function encodeModel(model: ModelListing): JsonObject {
  return {
    name: `models/${model.id}`,
    baseModelId: model.id,
    version: '1',
    displayName: model.displayName,
    description: '',
    ...(model.contextTokens === undefined ? {} : { inputTokenLimit: model.contextTokens }),
    outputTokenLimit: model.maxOutputTokens,
    supportedGenerationMethods: ['generateContent', 'streamGenerateContent', 'countTokens'],
  }
}

function readPageSize(text: string | null): number {
  if (text === null || text === '') return pageSizeDefault
  const size = Number(text)
  if (!Number.isInteger(size) || size < 0) {
    throw new Fault('invalid_request', 'The query parameter "pageSize" must be a whole number.', {
      param: 'pageSize',
    })
  }
  return Math.min(size === 0 ? pageSizeDefault : size, pageSizeMax)
}
