import { describe, expect, test } from 'bun:test'
import { surveyBody } from '../../../src/protocols/fit/shared-objects.ts'
import type { JsonObject } from '../../../src/wire/json.ts'

const chat = (part: JsonObject) => ({ messages: [{ role: 'user', content: [part] }] })
const item = (part: JsonObject) => ({ input: [{ role: 'user', content: [part] }] })
const turn = (part: JsonObject) => ({ contents: [{ parts: [part] }] })
const tools = (tool: JsonObject) => ({ tools: [tool] })

/** A body, and its fields that name an object in the upstream's account. */
const named: readonly (readonly [string, JsonObject, readonly string[]])[] = [
  [
    'a file in chat',
    chat({ type: 'file', file: { file_id: 'file-1' } }),
    ['messages[0].content[0].file.file_id'],
  ],
  [
    'audio of an earlier answer',
    { messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] },
    ['messages[0].audio.id'],
  ],
  ['a custom voice', { audio: { voice: { id: 'voice_1' }, format: 'wav' } }, ['audio.voice.id']],
  [
    'a bucket URL as an image',
    chat({ type: 'image_url', image_url: { url: 'gs://b/x.png' } }),
    ['messages[0].content[0].image_url.url'],
  ],
  [
    'a vendor scheme',
    chat({ type: 'video_url', video_url: { url: 'ms://file1' } }),
    ['messages[0].content[0].video_url.url'],
  ],
  [
    'an image file',
    item({ type: 'input_image', file_id: 'file-1' }),
    ['input[0].content[0].file_id'],
  ],
  ['a file', item({ type: 'input_file', file_id: 'file-1' }), ['input[0].content[0].file_id']],
  [
    'a file in a result',
    {
      input: [
        {
          type: 'function_call_output',
          call_id: 'c',
          output: [{ type: 'input_file', file_id: 'file-1' }],
        },
      ],
    },
    ['input[0].output[0].file_id'],
  ],
  ['a conversation by id', { conversation: 'conv_1' }, ['conversation']],
  ['a conversation', { conversation: { id: 'conv_1' } }, ['conversation.id']],
  ['a stored prompt', { prompt: { id: 'pmpt_1', version: '2' } }, ['prompt.id']],
  [
    'vector stores',
    tools({ type: 'file_search', vector_store_ids: ['vs_1', 'vs_2'] }),
    ['tools[0].vector_store_ids[0]', 'tools[0].vector_store_ids[1]'],
  ],
  ['a container', tools({ type: 'code_interpreter', container: 'cntr_1' }), ['tools[0].container']],
  [
    'files for a container',
    tools({ type: 'code_interpreter', container: { type: 'auto', file_ids: ['file-1'] } }),
    ['tools[0].container.file_ids[0]'],
  ],
  [
    'a container of a shell',
    tools({ type: 'shell', environment: { type: 'container_reference', container_id: 'cntr_1' } }),
    ['tools[0].environment.container_id'],
  ],
  [
    'a container of an earlier call',
    { input: [{ type: 'code_interpreter_call', container_id: 'cntr_1' }] },
    ['input[0].container_id'],
  ],
  [
    'an image of an earlier call',
    { input: [{ type: 'image_generation_call', id: 'ig_1' }] },
    ['input[0].id'],
  ],
  [
    'a mask',
    tools({ type: 'image_generation', input_image_mask: { file_id: 'file-1' } }),
    ['tools[0].input_image_mask.file_id'],
  ],
  [
    'a connector',
    tools({ type: 'mcp', connector_id: 'connector_gmail' }),
    ['tools[0].connector_id'],
  ],
  [
    'tools in an item',
    {
      input: [
        { type: 'additional_tools', ...tools({ type: 'file_search', vector_store_ids: ['vs_1'] }) },
      ],
    },
    ['input[0].tools[0].vector_store_ids[0]'],
  ],
  ['a container in messages', { container: 'container_1' }, ['container']],
  ['a container object in messages', { container: { id: 'container_1' } }, ['container.id']],
  [
    'a skill of the account',
    { container: { skills: [{ type: 'custom', skill_id: 'skill_1' }] } },
    ['container.skills[0].skill_id'],
  ],
  [
    'an image file in messages',
    chat({ type: 'image', source: { type: 'file', file_id: 'file_1' } }),
    ['messages[0].content[0].source.file_id'],
  ],
  [
    'a document',
    chat({ type: 'document', source: { type: 'file', file_id: 'file_1' } }),
    ['messages[0].content[0].source.file_id'],
  ],
  [
    'an upload',
    chat({ type: 'container_upload', file_id: 'file_1' }),
    ['messages[0].content[0].file_id'],
  ],
  [
    'a document in a result',
    chat({
      type: 'tool_result',
      tool_use_id: 't',
      content: [{ type: 'document', source: { type: 'file', file_id: 'file_1' } }],
    }),
    ['messages[0].content[0].content[0].source.file_id'],
  ],
  ['a cache', { cachedContent: 'cachedContents/1' }, ['cachedContent']],
  ['a cache in snake case', { cached_content: 'cachedContents/1' }, ['cached_content']],
  [
    'a cache in a wrapped request',
    { generateContentRequest: { cachedContent: 'cachedContents/1' } },
    ['generateContentRequest.cachedContent'],
  ],
  [
    'a file of the files API',
    turn({ fileData: { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/1' } }),
    ['contents[0].parts[0].fileData.fileUri'],
  ],
  [
    'a file of the files API under another host',
    turn({ file_data: { file_uri: 'https://proxy.test/v1beta/files/1' } }),
    ['contents[0].parts[0].file_data.file_uri'],
  ],
  [
    'a file by name',
    turn({ fileData: { fileUri: 'files/1' } }),
    ['contents[0].parts[0].fileData.fileUri'],
  ],
  [
    'a bucket',
    turn({ fileData: { fileUri: 'gs://bucket/1' } }),
    ['contents[0].parts[0].fileData.fileUri'],
  ],
  [
    'a file in a function response',
    turn({ functionResponse: { name: 'f', parts: [{ fileData: { fileUri: 'files/1' } }] } }),
    ['contents[0].parts[0].functionResponse.parts[0].fileData.fileUri'],
  ],
  [
    'a file in the instructions',
    { systemInstruction: { parts: [{ fileData: { fileUri: 'files/1' } }] } },
    ['systemInstruction.parts[0].fileData.fileUri'],
  ],
  [
    'file search stores',
    tools({ fileSearch: { fileSearchStoreNames: ['fileSearchStores/1'] } }),
    ['tools[0].fileSearch.fileSearchStoreNames[0]'],
  ],
  [
    'a data store',
    tools({ retrieval: { vertexAiSearch: { datastore: 'projects/1' } } }),
    ['tools[0].retrieval.vertexAiSearch.datastore'],
  ],
]

/** Content of the client or of its model, which names no object in the account. */
const unnamed: readonly (readonly [string, JsonObject])[] = [
  ['text', { messages: [{ role: 'user', content: 'file_id container conversation prompt' }] }],
  ['inline data', chat({ type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } })],
  ['a public image', chat({ type: 'image_url', image_url: { url: 'https://example.com/x.png' } })],
  [
    'a public image in responses',
    item({ type: 'input_image', image_url: 'https://example.com/files/x.png' }),
  ],
  ['a public file', item({ type: 'input_file', file_url: 'https://example.com/x.pdf' })],
  [
    'inline files',
    item({ type: 'input_file', filename: 'x', file_data: 'data:application/pdf;base64,AA' }),
  ],
  ['encrypted reasoning', { input: [{ type: 'reasoning', id: 'rs_1', encrypted_content: 'AA' }] }],
  ['an earlier response', { previous_response_id: 'resp_1' }],
  ['a new container', tools({ type: 'code_interpreter', container: { type: 'auto' } })],
  ['an MCP server', tools({ type: 'mcp', server_label: 's', server_url: 'https://mcp.test/sse' })],
  ['an inline image', { input: [{ type: 'image_generation_call', id: 'ig_1', result: 'AA' }] }],
  ['a public skill', { container: { skills: [{ type: 'anthropic', skill_id: 'pptx' }] } }],
  [
    'arguments',
    {
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'tool_use', id: 't', name: 'f', input: { file_id: 'x', container: 'y' } },
          ],
        },
      ],
    },
  ],
  [
    'arguments of a server tool',
    {
      messages: [
        {
          role: 'assistant',
          content: [{ type: 'server_tool_use', id: 't', name: 'f', input: { file_id: 'x' } }],
        },
      ],
    },
  ],
  [
    'results of code',
    {
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'bash_code_execution_tool_result', content: { content: [{ file_id: 'x' }] } },
          ],
        },
      ],
    },
  ],
  ['function arguments', turn({ functionCall: { name: 'f', args: { file_id: 'x' } } })],
  [
    'a function response',
    turn({ functionResponse: { name: 'f', response: { fileUri: 'files/1' } } }),
  ],
  [
    'schemas',
    tools({
      type: 'function',
      parameters: { properties: { file_id: { type: 'string' } }, container: 'x' },
    }),
  ],
  [
    'tool schemas in messages',
    tools({ name: 'f', input_schema: { container: 'x', properties: { vector_store_ids: {} } } }),
  ],
  [
    'annotations',
    item({
      type: 'output_text',
      text: 'x',
      annotations: [{ type: 'file_citation', file_id: 'x' }],
    }),
  ],
  ['labels', { metadata: { file_id: 'x', container: 'y', conversation: 'z' } }],
  ['a public video', turn({ fileData: { fileUri: 'https://www.youtube.com/watch?v=1' } })],
  [
    'an empty request',
    { conversation: null, prompt: null, container: '', cachedContent: '', tools: [] },
  ],
  ['an output format', { audio: { voice: 'alloy', format: 'wav' } }],
]

describe('fields that name objects of the upstream account', () => {
  test.each(named)('%s', (_, body, params) => {
    expect(surveyBody(body).objects.map(({ param }) => param)).toEqual([...params])
  })

  test.each(unnamed)('not %s', (_, body) => {
    expect(surveyBody(body).objects).toEqual([])
  })
})
