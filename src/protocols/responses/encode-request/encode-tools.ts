import type {
  HostedTool,
  ModelRequest,
  Tool,
  ToolChoice,
} from '../../../core/neutral/model-request.ts'
import { RawJson } from '../../../wire/exact-json.ts'
import { isObject, type JsonObject, objectAt, parseJson, stringAt } from '../../../wire/json.ts'
import type { Notes } from '../../notes.ts'

const noParameters = '{"type":"object","properties":{}}'

/** The tools, the tool choice and whether parallel calls are allowed; empty when no tool is left. */
export function encodeTools(request: ModelRequest, notes: Notes): JsonObject {
  const tools = request.tools.filter((tool) => isSupported(tool, request.toolChoice, notes))
  if (tools.length === 0) {
    if (request.toolChoice?.type === 'tool') refuseChoice(request.toolChoice.name, notes)
    return {}
  }
  return {
    tools: tools.map((tool) => encodeTool(tool)),
    tool_choice: request.toolChoice && encodeChoice(request.toolChoice, tools, notes),
    parallel_tool_calls: request.parallelCalls,
  }
}

/** A hosted tool of another vendor is dropped beside other tools. Its loss matters only if the choice names it. */
function isSupported(tool: Tool, choice: ToolChoice | undefined, notes: Notes): boolean {
  if (tool.type !== 'hosted' || tool.kind === 'web-search' || tool.protocol === 'responses') {
    return true
  }
  if (choice?.type === 'tool' && choice.name === tool.name) refuseChoice(tool.name, notes)
  notes.lossy('tools', `${tool.name}_dropped`)
  return false
}

function refuseChoice(name: string, notes: Notes): never {
  return notes.refuse(
    'toolChoice',
    `The tool choice names ${JSON.stringify(name)}, which the upstream of this model does not support.`,
  )
}

function encodeTool(tool: Tool): JsonObject | RawJson {
  switch (tool.type) {
    case 'function':
      return {
        type: 'function',
        name: tool.name,
        description: tool.description,
        parameters: new RawJson(tool.schema ?? noParameters),
        strict: tool.isStrict ?? false,
      }
    case 'custom':
      return {
        type: 'custom',
        name: tool.name,
        description: tool.description,
        format: tool.format === undefined ? undefined : new RawJson(tool.format),
      }
    case 'hosted':
      return tool.protocol === 'responses' ? new RawJson(tool.json) : encodeWebSearch(tool)
  }
}

function encodeChoice(choice: ToolChoice, tools: readonly Tool[], notes: Notes): unknown {
  switch (choice.type) {
    case 'auto':
    case 'required':
    case 'none':
      return choice.type
    case 'tool':
      return encodeReference(choice.name, firstByName(tools)) ?? refuseChoice(choice.name, notes)
    case 'allowed': {
      const byName = firstByName(tools)
      const allowed = choice.names.flatMap((name) => encodeReference(name, byName) ?? [])
      const mode = choice.isRequired ? 'required' : 'auto'
      return { type: 'allowed_tools', mode, tools: allowed }
    }
  }
}

function firstByName(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const byName = new Map<string, Tool>()
  for (const tool of tools) if (!byName.has(tool.name)) byName.set(tool.name, tool)
  return byName
}

function encodeReference(name: string, byName: ReadonlyMap<string, Tool>): JsonObject | undefined {
  const tool = byName.get(name)
  if (!tool) return undefined
  return tool.type === 'hosted' ? { type: hostedType(tool) } : { type: tool.type, name }
}

function hostedType(tool: HostedTool): string {
  return tool.protocol === 'responses' ? tool.name : 'web_search'
}

/** Another protocol's web search. The allowed domains and the user's location mean the same in all protocols. */
function encodeWebSearch(tool: HostedTool): JsonObject {
  const parsed = parseJson(tool.json)
  const value = isObject(parsed) ? parsed : {}
  const domains = value['allowed_domains']
  return {
    type: 'web_search',
    filters:
      Array.isArray(domains) && domains.length > 0 ? { allowed_domains: domains } : undefined,
    user_location: locationOf(value),
    search_context_size: stringAt(value, 'search_context_size'),
  }
}

/** chat-completions nests the location one level deeper. */
function locationOf(value: JsonObject): JsonObject | undefined {
  const location = objectAt(value, 'user_location')
  if (!location) return undefined
  const address = objectAt(location, 'approximate') ?? location
  return {
    type: 'approximate',
    city: stringAt(address, 'city'),
    region: stringAt(address, 'region'),
    country: stringAt(address, 'country'),
    timezone: stringAt(address, 'timezone'),
  }
}
