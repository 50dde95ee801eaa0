import { isObject, type JsonObject } from '../../../wire/json.ts'
import { type InputMeasure, InputMeter } from '../../measure/input-measure.ts'
import { inlineTools, isToolChange } from '../decode-request/tool-changes.ts'

/** Members of a body that contain text or options and never refer to an object that the upstream looks up. */
const plainMembers = new Set([
  'messages',
  'system',
  'model',
  'tools',
  'tool_choice',
  'thinking',
  'metadata',
  'stop_sequences',
  'service_tier',
  'output_config',
  'output_format',
  'cache_control',
  'context_management',
  'betas',
  'anthropic_beta',
  'anthropic_version',
  'speed',
  'inference_geo',
])

const textTypes = new Set<unknown>([
  'text',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'tool_reference',
  'compaction',
])

/** Tools that the client runs and that the vendor describes to the model. */
const describedTools = /^(?:bash|text_editor|memory|computer)_\d{8}$/
/** More tokens than any of these descriptions has, according to the vendor. */
const describedToolTokens = 2_000

export function measureInput(value: JsonObject): InputMeasure {
  const meter = new InputMeter()
  for (const name in value) if (!plainMembers.has(name)) meter.unknown(value[name])
  const { messages, tools } = value
  measureContent(value['system'], meter)
  if (Array.isArray(messages)) {
    for (const message of messages) if (isObject(message)) measureContent(message['content'], meter)
  }
  if (Array.isArray(tools)) for (const tool of tools) measureTool(tool, meter)
  for (const { tool } of inlineTools(messages)) measureTool(tool, meter)
  return meter.measure()
}

function measureContent(content: unknown, meter: InputMeter): void {
  if (Array.isArray(content)) for (const block of content) measureBlock(block, meter)
  else if (isObject(content)) meter.open()
}

function measureBlock(block: unknown, meter: InputMeter): void {
  if (!isObject(block)) return
  const { type, source } = block
  if (textTypes.has(type)) return
  if (isToolChange(block)) return
  if (type === 'tool_result' || type === 'search_result') measureContent(block['content'], meter)
  else if (!isObject(source)) meter.open()
  else if (type === 'image') measureImage(source, meter)
  else if (type === 'document') measureDocument(source, meter)
  else meter.open()
}

function measureImage(source: JsonObject, meter: InputMeter): void {
  if (source['type'] === 'base64') meter.image(source['data'])
  else if (source['type'] === 'url') meter.imageAt(source['url'])
  else meter.open()
}

/** The page count of a PDF is in compressed data, so only the context window bounds it. */
function measureDocument(source: JsonObject, meter: InputMeter): void {
  if (source['type'] === 'content') measureContent(source['content'], meter)
  else if (source['type'] !== 'text') meter.open()
}

function measureTool(tool: unknown, meter: InputMeter): void {
  const type = isObject(tool) ? (tool['type'] ?? 'custom') : undefined
  if (type === 'custom') return
  if (typeof type === 'string' && describedTools.test(type)) meter.tool(describedToolTokens)
  else meter.open()
}
