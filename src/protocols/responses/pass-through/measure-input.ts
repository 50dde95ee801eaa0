import { isObject, type JsonObject } from '../../../wire/json.ts'
import { type InputMeasure, InputMeter } from '../../measure/input-measure.ts'

/** Members of a body that contain text or options and never refer to an object that the upstream looks up. */
const plainMembers = new Set([
  'input',
  'instructions',
  'model',
  'tools',
  'tool_choice',
  'text',
  'reasoning',
  'metadata',
  'client_metadata',
  'include',
  'stream_options',
  'truncation',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'service_tier',
  'context_management',
])

const textTypes = new Set<unknown>([
  'input_text',
  'output_text',
  'text',
  'refusal',
  'summary_text',
  'reasoning_text',
])

/**
 * Items that contain all of their content as text. The vendor's encrypted content counts too: it is longer than the
 * content that it hides.
 */
const textItems = new Set<unknown>([
  'function_call',
  'custom_tool_call',
  'reasoning',
  'compaction',
  'local_shell_call',
  'local_shell_call_output',
  'apply_patch_call',
  'apply_patch_call_output',
  'mcp_list_tools',
  'mcp_approval_request',
  'mcp_approval_response',
])

/** Tools that the client runs. */
const ownTools = new Set<unknown>(['function', 'custom', 'local_shell', 'apply_patch'])

export function measureInput(value: JsonObject): InputMeasure {
  const meter = new InputMeter()
  for (const name in value) {
    if (name === 'previous_response_id' && typeof value[name] === 'string') meter.goOn()
    else if (!plainMembers.has(name)) meter.unknown(value[name])
  }
  const { input, instructions } = value
  if (Array.isArray(input)) for (const item of input) measureItem(item, meter)
  if (Array.isArray(instructions)) for (const item of instructions) measureItem(item, meter)
  measureTools(value['tools'], meter)
  return meter.measure()
}

function measureItem(item: unknown, meter: InputMeter): void {
  if (!isObject(item)) return
  const type = item['type'] ?? (item['role'] === undefined ? 'item_reference' : 'message')
  if (textItems.has(type) || textTypes.has(type)) return
  switch (type) {
    case 'message':
      measureContent(item['content'], meter)
      break
    case 'function_call_output':
    case 'custom_tool_call_output':
      measureContent(item['output'], meter)
      break
    case 'computer_call_output':
      measureImage(item['output'], meter)
      break
    case 'image_generation_call':
      meter.image(item['result'])
      break
    case 'additional_tools':
      measureTools(item['tools'], meter)
      break
    default:
      meter.open()
  }
}

/** An object counts as its JSON text: only a list has parts. */
function measureContent(content: unknown, meter: InputMeter): void {
  if (Array.isArray(content)) for (const part of content) measurePart(part, meter)
}

function measurePart(part: unknown, meter: InputMeter): void {
  if (!isObject(part)) return
  if (textTypes.has(part['type'])) return
  if (part['type'] === 'input_image') measureImage(part, meter)
  else meter.open()
}

function measureImage(part: unknown, meter: InputMeter): void {
  if (!isObject(part)) return
  if ((part['file_id'] ?? undefined) !== undefined) meter.open()
  const address = part['image_url']
  meter.imageAt(isObject(address) ? address['url'] : address)
}

function measureTools(tools: unknown, meter: InputMeter): void {
  if (!Array.isArray(tools)) return
  for (const tool of tools) {
    const type = isObject(tool) ? tool['type'] : undefined
    if (isObject(tool) && type === 'namespace') measureTools(tool['tools'], meter)
    else if (!ownTools.has(type)) meter.open()
  }
}
