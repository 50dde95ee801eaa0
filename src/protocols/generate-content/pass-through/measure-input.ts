import { isObject, type JsonObject } from '../../../wire/json.ts'
import { type InputMeasure, InputMeter } from '../../measure/input-measure.ts'
import { listOrSingle, textOf } from '../values/read-field.ts'

/** Adds the snake-case spelling, because the service accepts both. */
function bothSpellings(names: readonly string[]): ReadonlySet<string> {
  const snakeNames = names.map((name) =>
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  )
  return new Set([...names, ...snakeNames])
}

/** Members of a body that contain text or options and never refer to an object that the upstream looks up. */
const plainMembers = bothSpellings([
  'contents',
  'systemInstruction',
  'generationConfig',
  'tools',
  'toolConfig',
  'safetySettings',
  'labels',
  'model',
  'serviceTier',
])

const plainOfPart = bothSpellings([
  'text',
  'thought',
  'thoughtSignature',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'inlineData',
  'mediaResolution',
  'partMetadata',
])

const plainOfTool = bothSpellings(['functionDeclarations'])

export function measureInput(value: JsonObject): InputMeasure {
  const meter = new InputMeter()
  for (const name in value) if (!plainMembers.has(name)) meter.unknown(value[name])
  measureContents(value['contents'], meter)
  measureContents(value['systemInstruction'], meter)
  measureContents(value['system_instruction'], meter)
  for (const tool of listOrSingle(value['tools'])) measureTool(tool, meter)
  return meter.measure()
}

/** Contents with parts; a bare part or text counts as a content. */
function measureContents(contents: unknown, meter: InputMeter): void {
  for (const content of listOrSingle(contents)) {
    if (!isObject(content)) continue
    const parts = content['parts'] ?? undefined
    if (parts === undefined) measurePart(content, meter)
    else for (const part of listOrSingle(parts)) measurePart(part, meter)
  }
}

function measurePart(part: unknown, meter: InputMeter): void {
  if (!isObject(part)) return
  for (const name in part) if (!plainOfPart.has(name) && name !== 'role') meter.unknown(part[name])
  for (const name of ['inlineData', 'inline_data']) {
    const inline = part[name] ?? undefined
    if (isObject(inline)) measureInline(inline, meter)
    else if (inline !== undefined) meter.open()
  }
  for (const name of ['functionResponse', 'function_response']) {
    const response = part[name]
    if (!isObject(response)) continue
    for (const inner of listOrSingle(response['parts'])) measurePart(inner, meter)
  }
}

/**
 * A text file has no more tokens than its base64 has bytes. Only the context window bounds a file that is neither text
 * nor image.
 */
function measureInline(inline: JsonObject, meter: InputMeter): void {
  const mime = textOf(inline, 'mimeType')?.toLowerCase() ?? ''
  if (mime.startsWith('image/')) meter.image(inline['data'])
  else if (!mime.startsWith('text/')) meter.open()
}

function measureTool(tool: unknown, meter: InputMeter): void {
  if (!isObject(tool)) return
  for (const name in tool) {
    if (!plainOfTool.has(name) && (tool[name] ?? undefined) !== undefined) meter.open()
  }
}
