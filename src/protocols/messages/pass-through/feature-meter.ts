import type { FeatureName, FeatureUses } from '../../../core/money/feature.ts'
import { countAt, isObject, type JsonObject, objectAt, stringAt } from '../../../wire/json.ts'
import { FeatureCounts, type FeatureMeter, type MeterParams } from '../../measure/feature-meter.ts'
import { featureOfTool } from '../../measure/feature-requests.ts'

export function openFeatureMeter(params: MeterParams): FeatureMeter {
  return new MessageMeter(params)
}

/** The names under which usage reports calls. */
const reported: readonly (readonly [string, FeatureName])[] = [
  ['web_search_requests', 'webSearch'],
  ['web_fetch_requests', 'webFetch'],
]

/** Usage reports most calls. Other calls are counted by their blocks. */
class MessageMeter implements FeatureMeter {
  readonly #counts: FeatureCounts
  readonly #objects = new Set<string>()
  readonly #reported = new Set<FeatureName>()

  constructor(params: MeterParams) {
    this.#counts = new FeatureCounts(params)
  }

  note(reply: JsonObject): void {
    switch (reply['type']) {
      case 'content_block_start':
        this.#readBlock(reply['content_block'])
        return
      case 'message_start':
        this.#readMessage(objectAt(reply, 'message') ?? {})
        return
      case 'message_delta':
        this.#readContainer(objectAt(reply, 'delta') ?? {})
        this.#readUsage(objectAt(reply, 'usage') ?? {})
        return
      default:
        this.#readMessage(reply)
    }
  }

  uses(): FeatureUses {
    return this.#counts.uses()
  }

  objects(): readonly string[] {
    return [...this.#objects]
  }

  #readMessage(message: JsonObject): void {
    const { content } = message
    if (Array.isArray(content)) for (const block of content) this.#readBlock(block)
    this.#readContainer(message)
    this.#readUsage(objectAt(message, 'usage') ?? {})
  }

  #readContainer(message: JsonObject): void {
    const id = stringAt(objectAt(message, 'container') ?? {}, 'id')
    if (id !== undefined) this.#objects.add(id)
  }

  #readUsage(usage: JsonObject): void {
    const calls = objectAt(usage, 'server_tool_use')
    for (const [name, feature] of calls ? reported : []) {
      const count = calls && countAt(calls, name)
      if (count === undefined) continue
      this.#reported.add(feature)
      this.#counts.set(feature, count)
    }
    const speed = stringAt(usage, 'speed')
    if (speed !== undefined) this.#counts.set('fastMode', speed === 'standard' ? 0 : 1)
    const geo = stringAt(usage, 'inference_geo')
    if (geo === 'global') this.#counts.set('regionalInference', 0)
  }

  #readBlock(block: unknown): void {
    if (!isObject(block)) return
    if (block['type'] === 'mcp_tool_use') this.#counts.add('mcp')
    if (block['type'] !== 'server_tool_use') return
    const feature = featureOfBlock(stringAt(block, 'name') ?? '')
    if (feature === undefined || this.#reported.has(feature)) return
    // A container is billed once, however many calls run in it.
    if (feature === 'codeExecution') this.#counts.atLeastOne(feature)
    else this.#counts.add(feature)
  }
}

function featureOfBlock(name: string): FeatureName | undefined {
  return name.endsWith('code_execution') ? 'codeExecution' : featureOfTool(name)
}
