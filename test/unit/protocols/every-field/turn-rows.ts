import type { Part, TextPart } from '../../../../src/core/neutral/model-request.ts'
import { call, result, text, turn } from '../fits/build-request.ts'
import { extraRows } from './extra-rows.ts'
import { mediaRows } from './media-rows.ts'
import { as, partly, type RequestRow } from './request-row.ts'
import { patch, weather } from './tool-rows.ts'

const hi = turn('user', text('Hi'))
const briefly: TextPart = { type: 'text', text: 'Be brief.' }
const marked: TextPart = { ...briefly, cacheMark: { ttl: '1h' } }

const called = call('call_1', 'weather', { argumentsText: '{"city":"Oslo"}' })
const answered = result('call_1', { parts: [{ type: 'text', text: 'Rain' }] })

function talk(made: Part, answer: Part) {
  return { turns: [hi, turn('assistant', made), turn('user', answer)] }
}

const chatCall = {
  role: 'assistant',
  content: null,
  tool_calls: [
    {
      id: 'call_1',
      type: 'function',
      function: { name: 'weather', arguments: '{"city":"Oslo"}' },
    },
  ],
}
const chatHi = { role: 'user', content: 'Hi' }
const responsesCall = {
  type: 'function_call',
  call_id: 'call_1',
  name: 'weather',
  arguments: '{"city":"Oslo"}',
}
const messagesHi = { role: 'user', content: [{ type: 'text', text: 'Hi' }] }
const messagesCall = {
  role: 'assistant',
  content: [{ type: 'tool_use', id: 'call_1', name: 'weather', input: { city: 'Oslo' } }],
}
const googleHi = { role: 'user', parts: [{ text: 'Hi' }] }
const googleCall = {
  role: 'model',
  parts: [
    {
      functionCall: { id: 'call_1', name: 'weather', args: { city: 'Oslo' } },
      // Gemini 3 rejects a call without a signature. This one stands for calls of other models.
      thoughtSignature: 'skip_thought_signature_validator',
    },
  ],
}

function googleResult(response: object) {
  return {
    role: 'user',
    parts: [{ functionResponse: { id: 'call_1', name: 'weather', response } }],
  }
}

const own = { issuer: 'own/model', kind: 'signature', data: 'c2ln' } as const
const thought = turn('assistant', { type: 'reasoning', text: 'Hm.', opaque: own }, text('Yes.'))

type TurnField = 'system' | 'turns' | 'extras'

export const turnRows: Readonly<Record<TurnField, readonly RequestRow[]>> = {
  system: [
    {
      sent: { system: [briefly] },
      arrives: {
        'chat-completions': as({ messages: [{ role: 'system', content: 'Be brief.' }, chatHi] }),
        responses: as({ instructions: 'Be brief.' }),
        messages: as({ system: [{ type: 'text', text: 'Be brief.' }] }),
        'generate-content': as({ systemInstruction: { parts: [{ text: 'Be brief.' }] } }),
      },
    },
    {
      sent: { system: [briefly] },
      traits: { instructionRole: 'developer' },
      arrives: {
        'chat-completions': as({ messages: [{ role: 'developer', content: 'Be brief.' }, chatHi] }),
        responses: as({ instructions: 'Be brief.' }),
        messages: as({ system: [{ type: 'text', text: 'Be brief.' }] }),
        'generate-content': as({ systemInstruction: { parts: [{ text: 'Be brief.' }] } }),
      },
    },
    {
      sent: { system: [marked] },
      arrives: {
        'chat-completions': partly(
          { messages: [{ role: 'system', content: 'Be brief.' }, chatHi] },
          'cache_control_dropped',
          { system: [briefly] },
        ),
        responses: partly({ instructions: 'Be brief.' }, 'prompt_cache_breakpoint_dropped', {
          system: [briefly],
        }),
        messages: as({
          system: [
            {
              type: 'text',
              text: 'Be brief.',
              cache_control: { type: 'ephemeral', ttl: '1h' },
            },
          ],
        }),
        'generate-content': partly(
          { systemInstruction: { parts: [{ text: 'Be brief.' }] } },
          'cacheMark_dropped',
          { system: [briefly] },
        ),
      },
    },
  ],
  turns: [
    ...mediaRows,
    {
      sent: talk(called, answered),
      beside: { tools: [weather] },
      arrives: {
        'chat-completions': as({
          messages: [chatHi, chatCall, { role: 'tool', tool_call_id: 'call_1', content: 'Rain' }],
        }),
        responses: as({
          input: [
            chatHi,
            responsesCall,
            { type: 'function_call_output', call_id: 'call_1', output: 'Rain' },
          ],
        }),
        messages: as({
          messages: [
            messagesHi,
            messagesCall,
            {
              role: 'user',
              content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'Rain' }],
            },
          ],
        }),
        'generate-content': as({
          contents: [googleHi, googleCall, googleResult({ result: 'Rain' })],
        }),
      },
    },
    {
      sent: talk(called, { ...answered, isError: true }),
      beside: { tools: [weather] },
      arrives: {
        'chat-completions': as(
          {
            messages: [
              chatHi,
              chatCall,
              { role: 'tool', tool_call_id: 'call_1', content: '[tool error] Rain' },
            ],
          },
          {},
        ),
        responses: as(
          {
            input: [
              chatHi,
              responsesCall,
              { type: 'function_call_output', call_id: 'call_1', output: '[tool error] Rain' },
            ],
          },
          {},
        ),
        messages: as({
          messages: [
            messagesHi,
            messagesCall,
            {
              role: 'user',
              content: [
                { type: 'tool_result', tool_use_id: 'call_1', content: 'Rain', is_error: true },
              ],
            },
          ],
        }),
        'generate-content': as({
          contents: [googleHi, googleCall, googleResult({ error: 'Rain' })],
        }),
      },
    },
    {
      sent: talk(
        { ...called, form: 'custom', name: 'patch', argumentsText: '+ line' },
        { ...answered, form: 'custom' },
      ),
      beside: { tools: [patch] },
      arrives: {
        'chat-completions': as(
          {
            messages: [
              chatHi,
              {
                role: 'assistant',
                content: null,
                tool_calls: [
                  { id: 'call_1', type: 'custom', custom: { name: 'patch', input: '+ line' } },
                ],
              },
              { role: 'tool', tool_call_id: 'call_1', content: 'Rain' },
            ],
          },
          // A result does not say the form of its call.
          talk(
            { ...called, form: 'custom', name: 'patch', argumentsText: '+ line' },
            { ...answered, form: 'function' },
          ),
        ),
        responses: as({
          input: [
            chatHi,
            { type: 'custom_tool_call', call_id: 'call_1', name: 'patch', input: '+ line' },
            { type: 'custom_tool_call_output', call_id: 'call_1', output: 'Rain' },
          ],
        }),
        messages: 'never written',
        'generate-content': 'never written',
      },
    },
    {
      sent: { turns: [hi, thought, hi] },
      arrives: {
        'chat-completions': partly(
          { messages: [chatHi, { role: 'assistant', content: 'Yes.' }, chatHi] },
          'reasoning_effort_history_dropped',
          {},
        ),
        responses: partly(
          { input: [chatHi, { role: 'assistant', content: 'Yes.' }, chatHi] },
          'reasoning_history_dropped',
          {},
        ),
        messages: as(
          {
            messages: [
              messagesHi,
              {
                role: 'assistant',
                content: [
                  { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
                  { type: 'text', text: 'Yes.' },
                ],
              },
              messagesHi,
            ],
          },
          {},
        ),
        'generate-content': as(
          {
            contents: [
              googleHi,
              {
                role: 'model',
                parts: [
                  { text: 'Hm.', thought: true },
                  { text: 'Yes.', thoughtSignature: 'c2ln' },
                ],
              },
              googleHi,
            ],
          },
          {},
        ),
      },
    },
    {
      sent: { turns: [hi, turn('assistant', { type: 'refusal', text: 'No.' }), hi] },
      arrives: {
        'chat-completions': as({
          messages: [chatHi, { role: 'assistant', content: null, refusal: 'No.' }, chatHi],
        }),
        responses: as(
          { input: [chatHi, { role: 'assistant', content: 'No.' }, chatHi] },
          { turns: [hi, turn('assistant', text('No.')), hi] },
        ),
        messages: as(
          {
            messages: [
              messagesHi,
              { role: 'assistant', content: [{ type: 'text', text: 'No.' }] },
              messagesHi,
            ],
          },
          { turns: [hi, turn('assistant', text('No.')), hi] },
        ),
        'generate-content': as(
          { contents: [googleHi, { role: 'model', parts: [{ text: 'No.' }] }, googleHi] },
          { turns: [hi, turn('assistant', text('No.')), hi] },
        ),
      },
    },
  ],
  extras: extraRows,
}
