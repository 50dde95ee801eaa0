import { type FeatureUses, featureNames, unitOf } from '../../../core/money/feature.ts'
import { countAt, isObject, type JsonObject, objectAt, stringAt } from '../../../wire/json.ts'
import { FeatureCounts, type FeatureMeter, type MeterParams } from '../../measure/feature-meter.ts'
import { featureOfTier } from '../../measure/feature-requests.ts'
import { firstCount, type UsageTraits, usageIn, usageTraitsIn } from '../../reply-traits.ts'

/**
 * Replies do not report calls of hosted tools. An upstream that got the client's own bytes counts as having made one
 * call of each kind; another upstream counts only if its answer shows the call.
 */
export function openFeatureMeter(params: MeterParams): FeatureMeter {
  return new ChatMeter(params)
}

function objectOf(report: unknown): JsonObject | undefined {
  return isObject(report) ? report : undefined
}

class ChatMeter implements FeatureMeter {
  readonly #counts: FeatureCounts
  readonly #traits: UsageTraits
  readonly #objects = new Set<string>()

  constructor(params: MeterParams) {
    this.#counts = new FeatureCounts(params)
    this.#traits = usageTraitsIn(params.replies, 'chat-completions')
    if (!params.isForwarded) return
    for (const feature of featureNames) {
      if (unitOf(feature) === 'call') this.#counts.set(feature, 1)
    }
  }

  note(reply: JsonObject): void {
    const tier = stringAt(reply, 'service_tier')
    if (tier !== undefined) this.#counts.serve(featureOfTier(tier))
    const usage = usageIn(reply, 'usage', this.#traits, objectOf)
    if (usage) this.#readUsage(usage)
    const choices = reply['choices']
    if (!Array.isArray(choices)) return
    for (const choice of choices) if (isObject(choice)) this.#readChoice(choice)
  }

  uses(): FeatureUses {
    return this.#counts.uses()
  }

  objects(): readonly string[] {
    return [...this.#objects]
  }

  #readUsage(usage: JsonObject): void {
    const prompt = objectAt(usage, 'prompt_tokens_details') ?? {}
    const completion = objectAt(usage, 'completion_tokens_details') ?? {}
    this.#counts.set('audioInput', countAt(prompt, 'audio_tokens'))
    this.#counts.set('audioOutput', countAt(completion, 'audio_tokens'))
    this.#counts.set('imageOutput', countAt(completion, 'image_tokens'))
    this.#counts.set('webSearch', firstCount(usage, this.#traits.searches))
  }

  #readChoice(choice: JsonObject): void {
    const message = objectAt(choice, 'message') ?? objectAt(choice, 'delta') ?? {}
    const id = stringAt(objectAt(message, 'audio') ?? {}, 'id')
    if (id !== undefined) this.#objects.add(id)
    const { annotations } = message
    if (Array.isArray(annotations) && annotations.length > 0) this.#counts.atLeastOne('webSearch')
  }
}
