import type {
  FunctionTool,
  HostedTool,
  JsonText,
  ModelRequest,
  Tool,
  ToolChoice,
  Turn,
} from '../../../core/neutral/model-request.ts'
import { parseExact, RawJson, writeJson } from '../../../wire/exact-json.ts'
import { isObject, type JsonObject, objectAt, parseJson } from '../../../wire/json.ts'
import type { Notes } from '../../notes.ts'
import { schemaForClaude } from '../../schema/schema-for-claude.ts'
import type { SchemaWork } from '../../schema/schema-work.ts'
import type { Target } from '../../translation.ts'
import { limitToolUses } from '../pass-through/limit-uses.ts'
import type { CacheMarks } from '../values/cache-marks.ts'
import type { Block } from './encode-content.ts'

/** The tools, without those that the choice excludes or that the upstream does not have. */
export function encodeTools(
  request: ModelRequest,
  target: Target,
  marks: CacheMarks,
  notes: Notes,
): Block[] {
  const { toolChoice } = request
  const names = toolChoice?.type === 'allowed' ? new Set(toolChoice.names) : undefined
  const hasOwnSearch = request.tools.some(
    (tool) => tool.type === 'function' && tool.name === 'web_search',
  )
  return request.tools
    .filter((tool) => tool.type === 'hosted' || !names || names.has(tool.name))
    .map((tool) => encodeTool(tool, { toolChoice, hasOwnSearch }, target, marks, notes))
    .filter((tool) => tool !== undefined)
}

interface Beside {
  readonly toolChoice: ModelRequest['toolChoice']
  /** A function of the client has the same name as the vendor's search. */
  readonly hasOwnSearch: boolean
}

function encodeTool(
  tool: Tool,
  beside: Beside,
  target: Target,
  marks: CacheMarks,
  notes: Notes,
): Block | undefined {
  switch (tool.type) {
    case 'function':
      return encodeFunction(tool, target, marks, notes)
    case 'hosted':
      return encodeHosted(tool, beside, target, notes)
    case 'custom':
      // Custom tools have become functions before this step.
      return undefined
  }
}

function encodeFunction(
  tool: FunctionTool,
  target: Target,
  marks: CacheMarks,
  notes: Notes,
): JsonObject {
  const isStrict = tool.isStrict === true && target.traits.takesOutputFormat !== false
  if (tool.isStrict === true && !isStrict) notes.harmless('tools', 'strict_dropped')
  const work = notes.schemaWork('tools')
  const schema = objectSchema(tool.schema, work)
  return {
    name: tool.name,
    description: tool.description,
    input_schema: new RawJson(isStrict ? schemaForClaude(schema, work) : schema),
    strict: isStrict ? true : undefined,
    ...marks.take(tool.cacheMark),
  }
}

/** The outermost type is required and must be `object`. */
function objectSchema(schema: JsonText | undefined, work: SchemaWork): JsonText {
  if (schema === undefined) return '{"type":"object","properties":{}}'
  work.spendText(schema)
  const plain = parseJson(schema)
  if (isObject(plain) && plain['type'] === 'object') return schema
  const exact = parseExact(schema)
  return writeJson(isObject(exact) ? { ...exact, type: 'object' } : { type: 'object' })
}

function encodeHosted(
  tool: HostedTool,
  { toolChoice, hasOwnSearch }: Beside,
  { calls }: Target,
  notes: Notes,
): Block | undefined {
  if (tool.protocol === 'messages') return new RawJson(limitToolUses(tool.json, calls))
  if (tool.kind === 'web-search' && !hasOwnSearch) {
    return { ...webSearch(tool.json), max_uses: calls?.each?.webSearch }
  }
  if (toolChoice?.type === 'tool' && toolChoice.name === tool.name) {
    notes.refuse(
      'toolChoice',
      `The upstream of this model has no tool "${tool.name}". Leave the tool out, or choose another model.`,
    )
  }
  notes.lossy('tools', `${tool.name}_dropped`)
  return undefined
}

/** The fields of another protocol's search that this protocol has: the user's location, and the allowed domains. */
function webSearch(json: JsonText): JsonObject {
  const parsed = parseJson(json)
  const tool = isObject(parsed) ? parsed : {}
  const domains = objectAt(tool, 'filters')?.['allowed_domains']
  const location = objectAt(tool, 'user_location')
  const place = location && (objectAt(location, 'approximate') ?? location)
  return {
    type: 'web_search_20250305',
    name: 'web_search',
    allowed_domains: Array.isArray(domains) && domains.length > 0 ? domains : undefined,
    user_location: place && {
      type: 'approximate',
      city: place['city'] ?? undefined,
      region: place['region'] ?? undefined,
      country: place['country'] ?? undefined,
      timezone: place['timezone'] ?? undefined,
    },
  }
}

export interface EncodedChoice {
  /** The field `tool_choice`. */
  readonly field: JsonObject | undefined
  /** Text for the system prompt, where the model does not accept a forced call. */
  readonly instruction: string | undefined
}

export function encodeToolChoice(
  { toolChoice, parallelCalls, tools }: ModelRequest,
  target: Target,
  notes: Notes,
): EncodedChoice {
  const requested = toolChoice && choiceOf(toolChoice, tools, notes)
  const instruction = requested && instead(requested, target)
  if (instruction !== undefined) notes.lossy('toolChoice', 'not_forced')
  const field = instruction === undefined ? requested : { type: 'auto' }
  if (parallelCalls !== false || field?.['type'] === 'none') return { field, instruction }
  return { field: { ...(field ?? { type: 'auto' }), disable_parallel_tool_use: true }, instruction }
}

/**
 * The newest models reject a forced call, but nearly always make a call that the prompt asks for. The other tools stay,
 * because the history may mention them and because a prompt with other tools misses the cache.
 */
function instead({ type, name }: JsonObject, { traits }: Target): string | undefined {
  if (traits.takesForcedCalls !== false) return undefined
  if (type === 'tool') return `Answer by calling the tool "${String(name)}", and with nothing else.`
  if (type === 'any') return 'Answer by calling one of the tools, and with nothing else.'
  return undefined
}

function choiceOf(choice: ToolChoice, tools: readonly Tool[], notes: Notes): JsonObject {
  switch (choice.type) {
    case 'auto':
    case 'none':
      return { type: choice.type }
    case 'required':
      return { type: 'any' }
    case 'allowed':
      return { type: choice.isRequired ? 'any' : 'auto' }
    case 'tool': {
      const tool = tools.find((each) => each.name === choice.name)
      if (!tool) {
        notes.refuse(
          'toolChoice',
          `The tool choice names "${choice.name}", which is not among the tools. Add the tool, or change the tool choice.`,
        )
      }
      const isSearch = tool.type === 'hosted' && tool.kind === 'web-search'
      return { type: 'tool', name: isSearch ? 'web_search' : choice.name }
    }
  }
}

/**
 * The tools that the conversation mentions, for a request that offers none: the API rejects calls and results of
 * undeclared tools. The tools accept any input and are declared with the choice `none`.
 */
export function toolsOfHistory(turns: readonly Turn[]): JsonObject[] {
  const names = new Set<string>()
  for (const { parts } of turns) {
    for (const part of parts) {
      if (part.type !== 'tool-call' && part.type !== 'tool-result') continue
      if (part.name !== undefined) names.add(part.name)
    }
  }
  return [...names].map((name) => ({ name, input_schema: { type: 'object' } }))
}
