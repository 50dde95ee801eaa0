import type { UsageRecord } from '../usage/usage-record.ts'

/** Further models share one label value: with four protocols this stays below the series limit of a metric. */
const modelsMax = 400
const otherModels = 'other'

/**
 * The model of a request as a label: only catalogue ids. An unknown model name is the client's
 * own text and never becomes a label; a request without a group has no catalogue model.
 */
export function createModelLabel(): (record: Pick<UsageRecord, 'model' | 'groupId'>) => string {
  const seen = new Set<string>()
  return ({ model, groupId }) => {
    if (model === undefined || groupId === undefined) return ''
    if (seen.has(model)) return model
    if (seen.size >= modelsMax) return otherModels
    seen.add(model)
    return model
  }
}
