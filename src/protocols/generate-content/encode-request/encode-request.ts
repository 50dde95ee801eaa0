import type { ModelRequest } from '../../../core/neutral/model-request.ts'
import type { JsonObject } from '../../../wire/json.ts'
import { countCacheMarks } from '../../measure/count-cache-marks.ts'
import type { Notes } from '../../notes.ts'
import type { Target } from '../../translation.ts'
import { encodeExtras } from './encode-extras.ts'
import { encodeOptions } from './encode-options.ts'
import { encodeTools } from './encode-tools.ts'
import { encodeTurns } from './encode-turns.ts'

export function encodeRequest(request: ModelRequest, target: Target, notes: Notes): JsonObject {
  noteUnsupported(request, notes)
  const contents = encodeTurns(request, target, notes)
  const { tools, toolConfig } = encodeTools(request, target, notes)
  const system = request.system.filter(({ text }) => text !== '').map(({ text }) => ({ text }))
  // The service requires at least one content, so a conversation of only a system prompt is sent as the user's.
  const isSystemOnly = contents.length === 0
  const extras = encodeExtras(request.extras, notes)
  const config = { ...encodeOptions(request, target, notes), ...extras.generationConfig }
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
function noteUnsupported(request: ModelRequest, notes: Notes): void {
  if (request.endUser !== undefined) notes.harmless('endUser')
  if (request.cacheKey !== undefined) notes.harmless('cacheKey')
  if (request.metadata !== undefined) notes.harmless('metadata')
  if (request.verbosity !== undefined) notes.harmless('verbosity')
  if (countCacheMarks(request) > 0) notes.harmless('cacheMark')
  const { serviceTier } = request
  if (serviceTier !== undefined && serviceTier !== 'auto') notes.harmless('serviceTier')
}

function hasMembers(value: JsonObject): boolean {
  return Object.values(value).some((member) => member !== undefined)
}
