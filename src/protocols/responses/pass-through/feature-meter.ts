import type { FeatureUses } from '../../../core/money/feature.ts'
import { isObject, type JsonObject, objectAt, stringAt } from '../../../wire/json.ts'
import { FeatureCounts, type FeatureMeter, type MeterParams } from '../../measure/feature-meter.ts'
import { featureOfTier } from '../../measure/feature-requests.ts'

export function openFeatureMeter(params: MeterParams): FeatureMeter {
  return new ResponseMeter(params)
}

/** Items that are not calls of hosted tools, or that cost only their tokens. */
const plainItems = new Set([
  'apply_patch_call',
  'computer_call',
  'custom_tool_call',
  'function_call',
  'local_shell_call',
  'tool_search_call',
])

/** Each call is an item of the output. The last event repeats all items, so ids identify them. */
class ResponseMeter implements FeatureMeter {
  readonly #counts: FeatureCounts
  readonly #seen = new Set<string>()
  readonly #objects = new Set<string>()
  #unnamed = 0

  constructor(params: MeterParams) {
    this.#counts = new FeatureCounts(params)
  }

  note(reply: JsonObject): void {
    const type = stringAt(reply, 'type')
    if (type === 'response.output_item.done') this.#readItem(reply['item'])
    const response = type === undefined ? reply : objectAt(reply, 'response')
    if (!response || type === 'response.created' || type === 'response.in_progress') return
    const tier = stringAt(response, 'service_tier')
    // The upstream repeats the requested tier until it knows the tier that serves the request.
    if (tier !== undefined && tier !== 'auto') this.#counts.serve(featureOfTier(tier))
    const { output } = response
    if (!Array.isArray(output)) return
    this.#unnamed = 0
    for (const item of output) this.#readItem(item)
  }

  uses(): FeatureUses {
    return this.#counts.uses()
  }

  objects(): readonly string[] {
    return [...this.#objects]
  }

  #readItem(item: unknown): void {
    if (!isObject(item)) return
    const type = stringAt(item, 'type') ?? ''
    if (!type.endsWith('_call') || plainItems.has(type)) return
    const container = stringAt(item, 'container_id')
    if (container !== undefined) this.#objects.add(container)
    const id = stringAt(item, 'id')
    if (id !== undefined && type === 'image_generation_call') this.#objects.add(id)
    this.#unnamed += 1
    // A container is billed once, however many calls run in it.
    const key = type === 'code_interpreter_call' ? container : id
    const name = `${type}\n${key ?? this.#unnamed}`
    if (this.#seen.has(name)) return
    this.#seen.add(name)
    this.#count(type, item)
  }

  #count(type: string, item: JsonObject): void {
    switch (type) {
      case 'web_search_call': {
        // Opening a page from the results is not a search.
        const action = stringAt(objectAt(item, 'action') ?? {}, 'type') ?? 'search'
        if (action === 'search') this.#counts.add('webSearch')
        return
      }
      case 'file_search_call':
        this.#counts.add('fileSearch')
        return
      case 'code_interpreter_call':
      case 'shell_call':
        this.#counts.add('codeExecution')
        return
      case 'image_generation_call':
        if (item['status'] !== 'failed') this.#counts.add('imageGeneration')
        return
      case 'mcp_call':
        this.#counts.add('mcp')
        return
      default:
        this.#counts.add('otherTool')
    }
  }
}
