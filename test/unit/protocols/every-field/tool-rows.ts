import type {
  CustomTool,
  FunctionTool,
  HostedTool,
  ModelRequest,
  ToolChoice,
} from '../../../../src/core/neutral/model-request.ts'
import type { ProtocolName } from '../../../../src/core/neutral/protocol-name.ts'
import type { JsonObject } from '../../../../src/wire/json.ts'
import { placeSchema } from './option-rows.ts'
import { type Arrival, as, dropped, partly, type RequestRow } from './request-row.ts'

const place: unknown = JSON.parse(placeSchema)

export const weather: FunctionTool = {
  type: 'function',
  name: 'weather',
  description: 'Tells the weather.',
  schema: placeSchema,
  isStrict: undefined,
}
const clock: FunctionTool = { ...weather, name: 'clock' }
export const patch: CustomTool = {
  type: 'custom',
  name: 'patch',
  description: 'Applies a patch.',
  format: '{"type":"grammar","syntax":"lark","definition":"start: LINE"}',
}

const described = { name: 'weather', description: 'Tells the weather.' }
const chatFunction = { ...described, parameters: place }
const responsesTool = { type: 'function', ...described, parameters: place, strict: false }
const messagesTool = { ...described, input_schema: place }
const declarations = {
  tools: [{ functionDeclarations: [{ ...described, parametersJsonSchema: place }] }],
}
const unstrict = { tools: [{ ...weather, isStrict: false }] }

const location = { city: 'Oslo', region: 'Viken', country: 'NO', timezone: 'Europe/Oslo' }
const user_location = { type: 'approximate', ...location }
const filters = { allowed_domains: ['a.example'] }

function search(protocol: ProtocolName, name: string, value: JsonObject): ModelRequest['tools'] {
  const json = JSON.stringify(value)
  const tool: HostedTool = { type: 'hosted', kind: 'web-search', name, protocol, json }
  return [tool]
}

const searches = {
  chat: {
    search_context_size: 'low',
    user_location: { type: 'approximate', approximate: location },
  },
  responses: { type: 'web_search', filters, user_location, search_context_size: 'low' },
  messages: {
    type: 'web_search_20250305',
    name: 'web_search',
    allowed_domains: ['a.example'],
    user_location,
  },
  google: { googleSearch: {} },
}

const ownSearch = {
  'chat-completions': search('chat-completions', 'web_search_options', searches.chat),
  responses: search('responses', 'web_search', searches.responses),
  messages: search('messages', 'web_search', searches.messages),
  'generate-content': search('generate-content', 'googleSearch', searches.google),
} satisfies Record<ProtocolName, ModelRequest['tools']>

/** A search that is read again belongs to the protocol in which it was written. */
function hosted(protocol: ProtocolName, tool: JsonObject): Arrival {
  const { name } = ownSearch[protocol][0] ?? { name: '' }
  return as({ tools: [tool] }, { tools: search(protocol, name, tool) })
}

const googleSearch = hosted('generate-content', searches.google)

function choice(
  toolChoice: ToolChoice,
  written: { openai: unknown; responses?: unknown; messages: Arrival; google: JsonObject },
  googleReads?: ToolChoice,
): RequestRow {
  const { openai, responses = openai, messages, google } = written
  return {
    sent: { toolChoice },
    beside: { tools: [weather, clock] },
    arrives: {
      'chat-completions': as({ tool_choice: openai }),
      responses: as({ tool_choice: responses }),
      messages,
      'generate-content': as(
        { toolConfig: { functionCallingConfig: google } },
        { toolChoice: googleReads ?? toolChoice },
      ),
    },
  }
}

type ToolField = 'tools' | 'toolChoice' | 'parallelCalls'

export const toolRows: Readonly<Record<ToolField, readonly RequestRow[]>> = {
  tools: [
    {
      sent: { tools: [weather] },
      arrives: {
        'chat-completions': as({ tools: [{ type: 'function', function: chatFunction }] }),
        responses: as({ tools: [responsesTool] }, unstrict),
        messages: as({ tools: [messagesTool] }),
        'generate-content': as(declarations),
      },
    },
    {
      sent: { tools: [{ ...weather, isStrict: true }] },
      arrives: {
        'chat-completions': as({
          tools: [{ type: 'function', function: { ...chatFunction, strict: true } }],
        }),
        responses: as({ tools: [{ ...responsesTool, strict: true }] }),
        messages: as({ tools: [{ ...messagesTool, strict: true }] }),
        'generate-content': partly(declarations, 'tools_strict_dropped', { tools: [weather] }),
      },
    },
    {
      sent: { tools: [{ ...weather, cacheMark: { ttl: '1h' } }] },
      traits: { takesCacheMarks: true },
      arrives: {
        'chat-completions': as({
          tools: [
            {
              type: 'function',
              function: chatFunction,
              cache_control: { type: 'ephemeral', ttl: '1h' },
            },
          ],
        }),
        responses: partly({ tools: [responsesTool] }, 'prompt_cache_breakpoint_dropped', unstrict),
        messages: as({
          tools: [{ ...messagesTool, cache_control: { type: 'ephemeral', ttl: '1h' } }],
        }),
        'generate-content': partly(declarations, 'cacheMark_dropped', { tools: [weather] }),
      },
    },
    {
      sent: { tools: [weather] },
      traits: { schemaForm: 'classic' },
      arrives: {
        'chat-completions': as({ tools: [{ type: 'function', function: chatFunction }] }),
        responses: as({ tools: [responsesTool] }, unstrict),
        messages: as({ tools: [messagesTool] }),
        'generate-content': as(
          {
            tools: [
              {
                functionDeclarations: [
                  {
                    ...described,
                    parameters: {
                      type: 'OBJECT',
                      properties: { city: { type: 'STRING' } },
                      required: ['city'],
                    },
                  },
                ],
              },
            ],
          },
          {
            tools: [
              {
                ...weather,
                schema:
                  '{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}',
              },
            ],
          },
        ),
      },
    },
    {
      sent: { tools: [patch] },
      arrives: {
        'chat-completions': as({
          tools: [
            {
              type: 'custom',
              custom: {
                name: 'patch',
                description: 'Applies a patch.',
                format: {
                  type: 'grammar',
                  grammar: { syntax: 'lark', definition: 'start: LINE' },
                },
              },
            },
          ],
        }),
        responses: as({
          tools: [
            {
              type: 'custom',
              name: 'patch',
              description: 'Applies a patch.',
              format: { type: 'grammar', syntax: 'lark', definition: 'start: LINE' },
            },
          ],
        }),
        messages: 'never written',
        'generate-content': 'never written',
      },
    },
    {
      sent: { tools: ownSearch['chat-completions'] },
      arrives: {
        'chat-completions': as({ web_search_options: searches.chat }),
        responses: hosted('responses', {
          type: 'web_search',
          user_location,
          search_context_size: 'low',
        }),
        messages: hosted('messages', {
          type: 'web_search_20250305',
          name: 'web_search',
          user_location,
        }),
        'generate-content': googleSearch,
      },
    },
    {
      sent: { tools: ownSearch.responses },
      arrives: {
        'chat-completions': dropped('tools_web_search_dropped'),
        responses: as({ tools: [searches.responses] }),
        messages: hosted('messages', searches.messages),
        'generate-content': googleSearch,
      },
    },
    {
      sent: { tools: ownSearch.messages },
      arrives: {
        'chat-completions': dropped('tools_web_search_dropped'),
        responses: hosted('responses', { type: 'web_search', filters, user_location }),
        messages: as({ tools: [searches.messages] }),
        'generate-content': googleSearch,
      },
    },
    {
      sent: { tools: ownSearch['generate-content'] },
      arrives: {
        'chat-completions': dropped('tools_googleSearch_dropped'),
        responses: hosted('responses', { type: 'web_search' }),
        messages: hosted('messages', { type: 'web_search_20250305', name: 'web_search' }),
        'generate-content': googleSearch,
      },
    },
  ],
  toolChoice: [
    choice(
      { type: 'auto' },
      { openai: 'auto', messages: as({ tool_choice: { type: 'auto' } }), google: { mode: 'AUTO' } },
    ),
    choice(
      { type: 'required' },
      {
        openai: 'required',
        messages: as({ tool_choice: { type: 'any' } }),
        google: { mode: 'ANY' },
      },
    ),
    choice(
      { type: 'none' },
      { openai: 'none', messages: as({ tool_choice: { type: 'none' } }), google: { mode: 'NONE' } },
    ),
    choice(
      { type: 'tool', name: 'weather' },
      {
        openai: { type: 'function', function: { name: 'weather' } },
        responses: { type: 'function', name: 'weather' },
        messages: as({ tool_choice: { type: 'tool', name: 'weather' } }),
        google: { mode: 'ANY', allowedFunctionNames: ['weather'] },
      },
    ),
    choice(
      { type: 'allowed', names: ['weather', 'clock'], isRequired: true },
      {
        openai: {
          type: 'allowed_tools',
          allowed_tools: {
            mode: 'required',
            tools: [
              { type: 'function', function: { name: 'weather' } },
              { type: 'function', function: { name: 'clock' } },
            ],
          },
        },
        responses: {
          type: 'allowed_tools',
          mode: 'required',
          tools: [
            { type: 'function', name: 'weather' },
            { type: 'function', name: 'clock' },
          ],
        },
        messages: as({ tool_choice: { type: 'any' } }, { toolChoice: { type: 'required' } }),
        google: { mode: 'ANY', allowedFunctionNames: ['weather', 'clock'] },
      },
    ),
    choice(
      { type: 'allowed', names: ['weather', 'clock'], isRequired: false },
      {
        openai: {
          type: 'allowed_tools',
          allowed_tools: {
            mode: 'auto',
            tools: [
              { type: 'function', function: { name: 'weather' } },
              { type: 'function', function: { name: 'clock' } },
            ],
          },
        },
        responses: {
          type: 'allowed_tools',
          mode: 'auto',
          tools: [
            { type: 'function', name: 'weather' },
            { type: 'function', name: 'clock' },
          ],
        },
        messages: as({ tool_choice: { type: 'auto' } }, { toolChoice: { type: 'auto' } }),
        google: { mode: 'VALIDATED', allowedFunctionNames: ['weather', 'clock'] },
      },
    ),
    {
      sent: { toolChoice: { type: 'tool', name: 'patch' } },
      beside: { tools: [patch] },
      arrives: {
        'chat-completions': as({ tool_choice: { type: 'custom', custom: { name: 'patch' } } }),
        responses: as({ tool_choice: { type: 'custom', name: 'patch' } }),
        messages: 'never written',
        'generate-content': 'never written',
      },
    },
  ],
  parallelCalls: [
    {
      sent: { parallelCalls: false },
      beside: { tools: [weather] },
      arrives: {
        'chat-completions': as({ parallel_tool_calls: false }),
        responses: as({ parallel_tool_calls: false }),
        messages: as({ tool_choice: { type: 'auto', disable_parallel_tool_use: true } }),
        'generate-content': dropped('parallelToolCalls_dropped'),
      },
    },
  ],
}
