import type {
  HostedTool,
  ModelRequest,
  Tool,
  ToolChoice,
} from '../../../core/neutral/model-request.ts'
import { RawJson } from '../../../wire/exact-json.ts'
import { isObject, type JsonObject, parseJson } from '../../../wire/json.ts'
import type { Notes } from '../../notes.ts'
import { isCallable, type Target } from '../../translation.ts'
import { encodeCacheMark } from '../values/cache-marks.ts'
import { isFullOpenAi } from './dialect.ts'

type Callable = Exclude<Tool, HostedTool>

/** Tools and the fields about their use. OpenAI rejects these fields without tools. */
export function encodeTools(request: ModelRequest, target: Target, notes: Notes): JsonObject {
  const search = encodeHosted(request, target, notes)
  const { toolChoice } = request
  const callable = allowedTools(request.tools.filter(isCallable), toolChoice, target)
  if (toolChoice?.type === 'tool' && !callable.some(({ name }) => name === toolChoice.name)) {
    notes.refuse(
      'toolChoice',
      `The tool choice names "${toolChoice.name}", which is not among the tools. Add the tool, or change the tool choice.`,
    )
  }
  if (callable.length === 0) {
    if (
      toolChoice?.type === 'required' ||
      (toolChoice?.type === 'allowed' && toolChoice.isRequired)
    )
      notes.refuse(
        'toolChoice',
        'The tool choice requires a call, but this model can call none of the tools. Send a function tool, or change the tool choice.',
      )
    return search
  }
  return {
    tools: callable.map((tool) => encodeTool(tool, target)),
    tool_choice: encodeChoice(toolChoice, callable, target),
    parallel_tool_calls: request.parallelCalls,
    ...search,
  }
}

function encodeTool(tool: Callable, target: Target): JsonObject {
  const { name, description } = tool
  if (tool.type === 'custom') {
    return { type: 'custom', custom: { name, description, format: nestedFormat(tool.format) } }
  }
  const parameters = tool.schema === undefined ? undefined : new RawJson(tool.schema)
  return {
    type: 'function',
    function: { name, description, parameters, strict: tool.isStrict },
    ...encodeCacheMark(tool.cacheMark, target),
  }
}

/** Chat-completions nests a grammar in its own object. */
function nestedFormat(json: string | undefined): unknown {
  const format = json === undefined ? undefined : parseJson(json)
  if (!isObject(format) || format['type'] !== 'grammar' || isObject(format['grammar']))
    return format
  const { type, ...grammar } = format
  return { type, grammar }
}

/** Servers that do not know `allowed_tools` get only the allowed tools. */
function allowedTools(
  tools: readonly Callable[],
  choice: ToolChoice | undefined,
  target: Target,
): readonly Callable[] {
  if (choice?.type !== 'allowed' || isFullOpenAi(target.traits)) return tools
  const names = new Set(choice.names)
  return tools.filter((tool) => names.has(tool.name))
}

function encodeChoice(
  choice: ToolChoice | undefined,
  tools: readonly Callable[],
  target: Target,
): unknown {
  if (choice?.type !== 'tool' && choice?.type !== 'allowed') return choice?.type
  const custom = new Set(tools.filter(({ type }) => type === 'custom').map(({ name }) => name))
  if (choice.type === 'tool') return naming(choice.name, custom)
  const mode = choice.isRequired ? 'required' : 'auto'
  if (!isFullOpenAi(target.traits)) return mode
  const named = choice.names.map((name) => naming(name, custom))
  return { type: 'allowed_tools', allowed_tools: { mode, tools: named } }
}

function naming(name: string, custom: ReadonlySet<string>): JsonObject {
  return custom.has(name)
    ? { type: 'custom', custom: { name } }
    : { type: 'function', function: { name } }
}

/**
 * Only the search models of the protocol accept `web_search_options`; others reject the request. A search is therefore
 * sent only to those models, or where a chat client has used this field itself. Every other hosted tool is dropped.
 */
function encodeHosted(request: ModelRequest, target: Target, notes: Notes): JsonObject {
  let search: JsonObject = {}
  for (const tool of request.tools) {
    if (tool.type !== 'hosted') continue
    const isOwn = tool.protocol === 'chat-completions' && tool.name === 'web_search_options'
    if (isOwn) search = { web_search_options: new RawJson(tool.json) }
    else if (tool.kind === 'web-search' && /search/.test(target.model))
      search = { web_search_options: {} }
    else notes.lossy('tools', `${tool.name}_dropped`)
  }
  return search
}
