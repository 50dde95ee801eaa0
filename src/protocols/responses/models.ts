import type { JsonObject } from '../../wire/json.ts'
import { openaiModel, openaiModelList } from '../openai/model.ts'
import type { ModelPage } from '../protocol.ts'

export const encodeModel = openaiModel

export function encodeModelList({ models }: ModelPage): JsonObject {
  return openaiModelList(models)
}
