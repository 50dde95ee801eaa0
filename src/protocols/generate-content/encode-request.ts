import type { ModelRequest, TextPart } from '../../core/model-request.ts'
import { isObject, type JsonObject } from '../../wire/json.ts'
import type { Notes } from '../notes.ts'
import type { Target } from '../translation.ts'
import { encodeConfig } from './encode-config.ts'
import { encodeContents } from './encode-contents.ts'
import { encodeTools } from './encode-tools.ts'

/** Members that only this protocol has, so only its own clients send them. */
const ownExtras = ['safetySettings', 'safety_settings', 'cachedContent', 'cached_content', 'labels']
/** Storage and delivery of the answer; the gateway handles both. */
const harmlessExtras = [
  'client_metadata',
  'include',
  'prediction',
  'prompt_cache_options',
  'prompt_cache_retention',
  'store',
  'stream_options',
  'truncation',
]

export function encodeRequest(request: ModelRequest, target: Target, notes: Notes): JsonObject {
  noteUnsaid(request, notes)
  const contents = encodeContents(request, target, notes)
  const { tools, toolConfig } = encodeTools(request, target, notes)
  const system = request.system.filter(({ text }) => text !== '').map(({ text }) => ({ text }))
  // The service requires at least one content, so a conversation of only a system prompt is sent as the user's.
  const isSystemOnly = contents.length === 0
  const extras = encodeExtras(request, notes)
  const config = { ...encodeConfig(request, target, notes), ...extras.generationConfig }
  return {
    contents: isSystemOnly ? [{ role: 'user', parts: system }] : contents,
    systemInstruction: isSystemOnly || system.length === 0 ? undefined : { parts: system },
    tools,
    toolConfig:
      toolConfig || extras.toolConfig ? { ...toolConfig, ...extras.toolConfig } : undefined,
    generationConfig: hasMembers(config) ? config : undefined,
    ...extras.members,
  }
}

/** Notes fields that have no place here and do not change the answer. */
function noteUnsaid(request: ModelRequest, notes: Notes): void {
  if (request.endUser !== undefined) notes.harmless('endUser')
  if (request.cacheKey !== undefined) notes.harmless('cacheKey')
  if (request.metadata !== undefined) notes.harmless('metadata')
  if (request.verbosity !== undefined) notes.harmless('verbosity')
  if (request.cacheMark || request.system.some(isMarked)) notes.harmless('cacheMark')
  const { serviceTier } = request
  if (serviceTier !== undefined && serviceTier !== 'auto') notes.harmless('serviceTier')
}

function isMarked({ cacheMark }: TextPart): boolean {
  return cacheMark !== undefined
}

interface OwnExtras {
  readonly members: JsonObject
  readonly generationConfig: JsonObject | undefined
  readonly toolConfig: JsonObject | undefined
}

function encodeExtras({ extras }: ModelRequest, notes: Notes): OwnExtras {
  const members: Record<string, unknown> = {}
  const { generationConfig, toolConfig, ...others } = extras
  for (const [name, value] of Object.entries(others)) {
    if (ownExtras.includes(name)) members[name] = value
    else if (harmlessExtras.includes(name)) notes.harmless('extras', `${name}_dropped`)
    else notes.lossy('extras', `${name}_dropped`)
  }
  return {
    members,
    generationConfig: isObject(generationConfig) ? generationConfig : undefined,
    toolConfig: isObject(toolConfig) ? toolConfig : undefined,
  }
}

function hasMembers(value: JsonObject): boolean {
  return Object.values(value).some((member) => member !== undefined)
}
