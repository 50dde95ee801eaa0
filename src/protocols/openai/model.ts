import type { ModelListing } from '../../core/neutral/model-listing.ts'
import type { JsonObject } from '../../wire/json.ts'

/** The model entry that chat-completions and responses share. */
export function openaiModel(model: ModelListing): JsonObject {
  return {
    id: model.id,
    object: 'model',
    created: Math.floor(model.createdAtMs / 1_000),
    owned_by: model.ownedBy,
  }
}

export function openaiModelList(models: readonly ModelListing[]): JsonObject {
  return { object: 'list', data: models.map(openaiModel) }
}
