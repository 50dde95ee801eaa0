import type { ModelRequest } from '../../core/model-request.ts'
import { RawJson } from '../../wire/exact-json.ts'
import type { JsonObject } from '../../wire/json.ts'
import type { RequestFieldName } from '../field-names.ts'
import type { Notes } from '../notes.ts'
import type { Target } from '../translation.ts'

const stopMax = 4

export function encodeSampling(request: ModelRequest, target: Target, notes: Notes): JsonObject {
  const { sampling } = request
  if (sampling.topK !== undefined) notes.lossy('topK')
  // Models with fixed sampling reject these fields, whatever their value.
  const unlessFixed = <Value>(
    field: RequestFieldName,
    value: Value | undefined,
    usual: Value | undefined,
  ): Value | undefined => {
    if (value === undefined || target.traits.takesSampling !== false) return value
    if (value === usual) notes.harmless(field)
    else notes.lossy(field)
    return undefined
  }
  const bias = unlessFixed('logitBias', sampling.logitBias, '{}')
  return {
    temperature: unlessFixed('temperature', sampling.temperature, 1),
    top_p: unlessFixed('topP', sampling.topP, 1),
    presence_penalty: unlessFixed('presencePenalty', sampling.presencePenalty, 0),
    frequency_penalty: unlessFixed('frequencyPenalty', sampling.frequencyPenalty, 0),
    logit_bias: bias === undefined ? undefined : new RawJson(bias),
    seed: sampling.seed,
    stop: encodeStop(sampling.stop, target, notes),
  }
}

function encodeStop(
  stop: readonly string[] | undefined,
  target: Target,
  notes: Notes,
): readonly string[] | undefined {
  if (!stop || stop.length === 0) return undefined
  const most = target.traits.stopMax ?? stopMax
  if (most === 0) {
    notes.lossy('stop')
    return undefined
  }
  if (stop.length > most)
    notes.refuse('stop', `The upstream of this model takes at most ${most} stop sequences.`)
  return stop
}
