import type { UsageRecord } from '../usage/usage-record.ts'

/** More models than these are one label value: with four protocols they stay below what a metric keeps. */
const modelsMax = 400
const otherModels = 'other'

/**
 * The model of a request as a label: only ids that the catalogue has. What a caller has asked for in vain is the
 * caller's own text and stays out; a request that found no group has no model of ours.
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
