import type { FeatureUses } from '../../../core/money/feature.ts'
import { countAt, isObject, type JsonObject, objectAt, stringAt } from '../../../wire/json.ts'
import { FeatureCounts, type FeatureMeter, type MeterParams } from '../../measure/feature-meter.ts'
import { featureOfTier } from '../../measure/feature-requests.ts'

export function openFeatureMeter(params: MeterParams): FeatureMeter {
  return new ContentMeter(params)
}

/** Models before the third generation are billed for each grounded answer, later models for each search. */
const billedByAnswer = /gemini-(?:1|2)/

class ContentMeter implements FeatureMeter {
  readonly #counts: FeatureCounts
  readonly #queries = new Set<string>()

  constructor(params: MeterParams) {
    this.#counts = new FeatureCounts(params)
  }

  note(reply: JsonObject): void {
    const isByAnswer = billedByAnswer.test(stringAt(reply, 'modelVersion') ?? '')
    const usage = objectAt(reply, 'usageMetadata')
    if (usage) this.#readUsage(usage)
    const { candidates } = reply
    if (!Array.isArray(candidates)) return
    for (const candidate of candidates) {
      if (isObject(candidate)) this.#readCandidate(candidate, isByAnswer)
    }
  }

  uses(): FeatureUses {
    return this.#counts.uses()
  }

  objects(): readonly string[] {
    return []
  }

  #readUsage(usage: JsonObject): void {
    const tier = stringAt(usage, 'serviceTier')
    if (tier !== undefined) this.#counts.serve(featureOfTier(tier))
    this.#counts.set('audioInput', tokensOf(usage['promptTokensDetails'], 'AUDIO'))
    this.#counts.set('audioOutput', tokensOf(usage['candidatesTokensDetails'], 'AUDIO'))
    this.#counts.set('imageOutput', tokensOf(usage['candidatesTokensDetails'], 'IMAGE'))
  }

  #readCandidate(candidate: JsonObject, isByAnswer: boolean): void {
    const grounding = objectAt(candidate, 'groundingMetadata') ?? {}
    for (const query of listOf(grounding['webSearchQueries'])) this.#queries.add(String(query))
    const chunks = listOf(grounding['groundingChunks']).filter(isObject)
    const hasWeb = chunks.some((chunk) => 'web' in chunk)
    if (this.#queries.size > 0) this.#counts.set('webSearch', isByAnswer ? 1 : this.#queries.size)
    else if (hasWeb) this.#counts.atLeastOne('webSearch')
    if (chunks.some((chunk) => 'maps' in chunk)) this.#counts.atLeastOne('mapsSearch')
    if (chunks.some((chunk) => 'retrievedContext' in chunk)) this.#counts.atLeastOne('fileSearch')
    const pages = listOf(objectAt(candidate, 'urlContextMetadata')?.['urlMetadata']).length
    if (pages > 0) this.#counts.set('webFetch', pages)
    const parts = listOf(objectAt(candidate, 'content')?.['parts'])
    for (const part of parts) {
      if (isObject(part) && 'executableCode' in part) this.#counts.atLeastOne('codeExecution')
    }
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Undefined when the upstream does not report tokens by modality. */
function tokensOf(details: unknown, modality: string): number | undefined {
  if (!Array.isArray(details)) return undefined
  let tokens = 0
  for (const each of details) {
    if (isObject(each) && each['modality'] === modality) tokens += countAt(each, 'tokenCount') ?? 0
  }
  return tokens
}
