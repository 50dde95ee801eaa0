import { isObject, type JsonObject } from '../../../wire/json.ts'
import { type InputMeasure, InputMeter } from '../../measure/input-measure.ts'

/** Members of a body that contain text or options and never refer to an object that the upstream looks up. */
const plainMembers = new Set([
  'messages',
  'model',
  'tools',
  'functions',
  'tool_choice',
  'function_call',
  'response_format',
  'stream_options',
  'stop',
  'metadata',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'reasoning_effort',
  'reasoning',
  'reasoning_format',
  'thinking',
  'service_tier',
  'verbosity',
  'modalities',
  'audio',
  'prediction',
  'logit_bias',
  'cache_control',
  'chat_template_kwargs',
  'provider',
  'usage',
  'safety_settings',
  'guided_json',
  'guided_regex',
  'guided_choice',
  'guided_grammar',
])

const plainOfMessage = new Set([
  'role',
  'content',
  'name',
  'tool_calls',
  'tool_call_id',
  'function_call',
  'refusal',
  'annotations',
  'reasoning',
  'reasoning_content',
  'reasoning_details',
  'thinking_blocks',
  'provider_specific_fields',
  'extra_content',
  'cache_control',
  'id',
  'type',
])

const textTypes = new Set<unknown>([
  'text',
  'refusal',
  'input_text',
  'output_text',
  'thinking',
  'reasoning',
])

/** The server-specific switch for a search that the server runs itself. */
const searchSwitch = 'enable_search'

export function measureInput(value: JsonObject): InputMeasure {
  const meter = new InputMeter()
  for (const name in value) if (!plainMembers.has(name)) meter.unknown(value[name])
  if (value[searchSwitch] === true) meter.open()
  const { messages, tools } = value
  if (Array.isArray(messages)) for (const message of messages) measureMessage(message, meter)
  if (Array.isArray(tools)) for (const tool of tools) measureTool(tool, meter)
  return meter.measure()
}

function measureMessage(message: unknown, meter: InputMeter): void {
  if (!isObject(message)) return
  for (const name in message) if (!plainOfMessage.has(name)) meter.unknown(message[name])
  const { content } = message
  if (Array.isArray(content)) for (const part of content) measurePart(part, meter)
  else if (isObject(content)) meter.open()
}

function measurePart(part: unknown, meter: InputMeter): void {
  if (!isObject(part)) return
  const { type } = part
  if (textTypes.has(type)) return
  const address = part['image_url']
  if (type === 'image_url') meter.imageAt(isObject(address) ? address['url'] : address)
  else meter.open()
}

function measureTool(tool: unknown, meter: InputMeter): void {
  const type = isObject(tool) ? (tool['type'] ?? 'function') : undefined
  if (type !== 'function' && type !== 'custom') meter.open()
}
