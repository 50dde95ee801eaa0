import type { RequestFeature } from './request-feature.ts'
import {
  afterCall,
  chatTool,
  generateTools,
  messagesTool,
  pixel,
  responsesTool,
  withFunctions,
  withResult,
} from './request-parts.ts'

/** Tools, calls and results. */
export const toolFeatures: readonly RequestFeature[] = [
  {
    name: 'functions',
    bodies: withFunctions,
  },
  {
    name: 'functions, strict',
    without: withFunctions,
    bodies: {
      'chat-completions': {
        tools: [{ ...chatTool, function: { ...chatTool.function, strict: true } }],
      },
      responses: { tools: [{ ...responsesTool, strict: true }] },
      messages: { tools: [{ ...messagesTool, strict: true }] },
    },
  },
  {
    name: 'custom tool',
    bodies: {
      'chat-completions': { tools: [{ type: 'custom', custom: { name: 'run' } }] },
      responses: { tools: [{ type: 'custom', name: 'run' }] },
    },
  },
  {
    name: 'custom tool with a grammar',
    without: {
      'chat-completions': { tools: [{ type: 'custom', custom: { name: 'run' } }] },
      responses: { tools: [{ type: 'custom', name: 'run' }] },
    },
    bodies: {
      'chat-completions': {
        tools: [
          {
            type: 'custom',
            custom: {
              name: 'run',
              format: { type: 'grammar', grammar: { syntax: 'regex', definition: 'a+' } },
            },
          },
        ],
      },
      responses: {
        tools: [
          {
            type: 'custom',
            name: 'run',
            format: { type: 'grammar', syntax: 'regex', definition: 'a+' },
          },
        ],
      },
    },
  },
  {
    name: 'tool namespace',
    bodies: {
      responses: {
        tools: [{ type: 'namespace', name: 'sky', description: 'Sky', tools: [responsesTool] }],
      },
    },
  },
  {
    name: 'hosted web search',
    bodies: {
      'chat-completions': { web_search_options: {} },
      responses: { tools: [{ type: 'web_search' }] },
      messages: { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
      'generate-content': { tools: [{ googleSearch: {} }] },
    },
  },
  {
    name: 'another hosted tool, with functions',
    without: withFunctions,
    bodies: {
      responses: { tools: [responsesTool, { type: 'image_generation' }] },
      messages: {
        tools: [messagesTool, { type: 'code_execution_20250825', name: 'code_execution' }],
      },
      'generate-content': { tools: [...generateTools, { codeExecution: {} }] },
    },
  },
  {
    name: 'tool call required',
    without: withFunctions,
    bodies: {
      'chat-completions': { tools: [chatTool], tool_choice: 'required' },
      responses: { tools: [responsesTool], tool_choice: 'required' },
      messages: { tools: [messagesTool], tool_choice: { type: 'any' } },
      'generate-content': {
        tools: generateTools,
        toolConfig: { functionCallingConfig: { mode: 'ANY' } },
      },
    },
  },
  {
    name: 'this tool required',
    without: withFunctions,
    bodies: {
      'chat-completions': {
        tools: [chatTool],
        tool_choice: { type: 'function', function: { name: 'weather' } },
      },
      responses: { tools: [responsesTool], tool_choice: { type: 'function', name: 'weather' } },
      messages: { tools: [messagesTool], tool_choice: { type: 'tool', name: 'weather' } },
      'generate-content': {
        tools: generateTools,
        toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['weather'] } },
      },
    },
  },
  {
    name: 'tool calls forbidden',
    without: withFunctions,
    bodies: {
      'chat-completions': { tools: [chatTool], tool_choice: 'none' },
      responses: { tools: [responsesTool], tool_choice: 'none' },
      messages: { tools: [messagesTool], tool_choice: { type: 'none' } },
      'generate-content': {
        tools: generateTools,
        toolConfig: { functionCallingConfig: { mode: 'NONE' } },
      },
    },
  },
  {
    name: 'one call at a time',
    without: withFunctions,
    bodies: {
      'chat-completions': { tools: [chatTool], parallel_tool_calls: false },
      responses: { tools: [responsesTool], parallel_tool_calls: false },
      messages: {
        tools: [messagesTool],
        tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      },
    },
  },
  {
    name: 'tool call and result',
    bodies: withResult,
  },
  {
    name: 'tool result with an error',
    without: afterCall({
      messages: { content: 'No such city' },
      generate: { response: { result: 'No such city' } },
    }),
    bodies: afterCall({
      messages: { content: 'No such city', is_error: true },
      generate: { response: { error: 'No such city' } },
    }),
  },
  {
    name: 'tool result with an image',
    without: withResult,
    bodies: afterCall({
      responses: [{ type: 'input_image', image_url: `data:image/png;base64,${pixel}` }],
      messages: {
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
        ],
      },
      generate: {
        response: { result: 'Look' },
        parts: [{ inlineData: { mimeType: 'image/png', data: pixel } }],
      },
    }),
  },
]
