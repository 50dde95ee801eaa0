import { isObject, type JsonObject } from '../../../wire/json.ts'

/** Members that the neutral form has, in both spellings. */
const named: ReadonlySet<string> = both([
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'generationConfig',
  'serviceTier',
  'model',
])
const namedInConfig: ReadonlySet<string> = both([
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'candidateCount',
  'stopSequences',
  'seed',
  'presencePenalty',
  'frequencyPenalty',
  'responseLogprobs',
  'logprobs',
  'thinkingConfig',
  'mediaResolution',
])
const namedFormats: ReadonlySet<string> = both([
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  '_responseJsonSchema',
])
const namedInToolConfig: ReadonlySet<string> = both(['functionCallingConfig'])

/**
 * Fields that only this protocol has, under its own names: safety settings, cached contents, labels, and the rest of
 * the two configurations that the neutral form covers in part.
 */
export function decodeExtras(
  root: JsonObject,
  config: JsonObject,
  toolConfig: JsonObject,
  hasFormat: boolean,
): Record<string, unknown> {
  const isPlain = hasFormat || isPlainText(config)
  const restOfConfig = rest(config, (name) =>
    namedFormats.has(name) ? isPlain : namedInConfig.has(name) || isTextOnly(name, config[name]),
  )
  const restOfTools = rest(toolConfig, (name) => namedInToolConfig.has(name))
  return {
    ...rest(root, (name) => named.has(name)),
    ...(isEmpty(restOfConfig) ? {} : { generationConfig: restOfConfig }),
    ...(isEmpty(restOfTools) ? {} : { toolConfig: restOfTools }),
  }
}

function rest(value: JsonObject, isNamed: (name: string) => boolean): Record<string, unknown> {
  const entries = Object.entries(value).filter(
    ([name, member]) => !isNamed(name) && !isEmpty(member),
  )
  return Object.fromEntries(entries)
}

/** Libraries send empty lists and objects for unset fields. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  return isObject(value) && Object.keys(value).length === 0
}

function isPlainText(config: JsonObject): boolean {
  const mime = config['responseMimeType'] ?? config['response_mime_type'] ?? 'text/plain'
  return mime === 'text/plain'
}

function isTextOnly(name: string, value: unknown): boolean {
  if (name !== 'responseModalities' && name !== 'response_modalities') return false
  return Array.isArray(value) && value.every((modality) => /^text$/i.test(String(modality)))
}

function both(names: readonly string[]): ReadonlySet<string> {
  return new Set(
    names.flatMap((name) => [name, name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]),
  )
}
