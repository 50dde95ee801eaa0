import type { ModelRequest } from '../../../core/neutral/model-request.ts'
import type { JsonObject } from '../../../wire/json.ts'
import type { Notes } from '../../notes.ts'
import type { Target } from '../../translation.ts'
import { CacheMarks, encodeCacheMark } from '../values/cache-marks.ts'
import { type Block, encodeText, hasVisibleText } from './encode-content.ts'
import { encodeExtras } from './encode-extras.ts'
import { encodeFormat, encodeSampling } from './encode-options.ts'
import { encodeThinking } from './encode-thinking.ts'
import {
  type EncodedChoice,
  encodeToolChoice,
  encodeTools,
  toolsOfHistory,
} from './encode-tools.ts'
import { encodeTurns } from './encode-turns.ts'

const endUserCharactersMax = 512

/** The API rejects every unknown field, so only its own fields are written. */
export function encodeRequest(request: ModelRequest, target: Target, notes: Notes): JsonObject {
  if (request.answers > 1) {
    notes.refuse(
      'answers',
      'The upstream of this model returns one choice per request. Request one.',
    )
  }
  noteForeign(request, notes)
  const marks = new CacheMarks(request, notes)
  const thinking = encodeThinking(request, target, limitOf(request, target, notes), notes)
  const format = encodeFormat(request.format, target, notes)
  // The earliest marks are dropped first, and marks of the conversation before those of tools and system prompt.
  const messages = encodeTurns(request, target, marks, notes)
  const system = encodeSystem(request, marks)
  const { tools, choice } = encodeToolUse(request, target, marks, notes)
  for (const text of [format.instruction, choice.instruction]) {
    if (text !== undefined) system.push({ type: 'text', text })
  }
  return {
    model: target.model,
    max_tokens: thinking.outputTokensMax,
    stream: request.isStream ? true : undefined,
    system: system.length > 0 ? system : undefined,
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: choice.field,
    messages,
    thinking: thinking.field,
    output_config: encodeOutputConfig(thinking.effort, format.field),
    ...encodeSampling(request.sampling, target, thinking.isOn, notes),
    metadata: encodeMetadata(request, notes),
    service_tier: encodeServiceTier(request, notes),
    cache_control: request.cacheMark ? encodeCacheMark(request.cacheMark) : undefined,
    ...encodeExtras(request.extras, notes),
  }
}

function limitOf({ outputTokensMax }: ModelRequest, target: Target, notes: Notes): number {
  if (outputTokensMax === undefined) return target.outputTokensMax
  if (outputTokensMax > target.outputTokensMax) notes.harmless('outputTokensMax', 'clamped')
  return Math.min(outputTokensMax, target.outputTokensMax)
}

function noteForeign(request: ModelRequest, notes: Notes): void {
  if (request.logprobs) notes.lossy('logprobs')
  if (request.verbosity !== undefined) notes.harmless('verbosity')
  if (request.cacheKey !== undefined) notes.harmless('cacheKey')
  if (request.metadata !== undefined) notes.harmless('metadata')
}

function encodeSystem(request: ModelRequest, marks: CacheMarks): JsonObject[] {
  return request.system
    .filter((part) => hasVisibleText(part.text))
    .map((part) => encodeText(part, marks))
}

function encodeToolUse(
  request: ModelRequest,
  target: Target,
  marks: CacheMarks,
  notes: Notes,
): { readonly tools: readonly Block[]; readonly choice: EncodedChoice } {
  const tools = encodeTools(request, target, marks, notes)
  if (tools.length > 0) return { tools, choice: encodeToolChoice(request, target, notes) }
  const mentioned = toolsOfHistory(request.turns)
  const field = mentioned.length > 0 ? { type: 'none' } : undefined
  return { tools: mentioned, choice: { field, instruction: undefined } }
}

function encodeOutputConfig(
  effort: string | undefined,
  format: JsonObject | undefined,
): JsonObject | undefined {
  return effort === undefined && format === undefined ? undefined : { effort, format }
}

function encodeMetadata({ endUser }: ModelRequest, notes: Notes): JsonObject | undefined {
  if (endUser === undefined || endUser === '') return undefined
  if (endUser.length <= endUserCharactersMax) return { user_id: endUser }
  notes.harmless('endUser')
  return undefined
}

function encodeServiceTier({ serviceTier }: ModelRequest, notes: Notes): string | undefined {
  if (serviceTier === undefined || serviceTier === 'auto') return serviceTier
  if (serviceTier === 'default') return 'standard_only'
  notes.harmless('serviceTier')
  return undefined
}
